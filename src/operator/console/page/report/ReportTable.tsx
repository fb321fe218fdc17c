import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link, useLabels } from '../app/router.tsx';
import { isUnfinished } from '../../../reports/period.ts';
import { Header } from '../parts/layout.tsx';
import { OfWhich } from './OfWhich.tsx';
import type { ReportRows } from './useReport.ts';
import type { ReportState } from '../../../reports/reportState.ts';
import type { Row, Totals } from '../../../reports/comparison.ts';
import { changeText, newsOf, periodText, shortPeriod, valueLabel, valueText } from '../../../reports/format.ts';

interface TableProps {
  readonly rows: ReportRows;
  readonly totals: Totals;
  readonly state: ReportState;
  readonly dataThrough: string | null;
  /** Sorts by a column, or turns its direction. */
  sort(column: string): void;
}

/** Pixels of a row; the style sheet has the same. All rows are equally high, so only those in view are rendered. */
const ROW = 40;
const COMPARED_ROW = 52;
/** Rows rendered above and below the view. */
const SPARE = 8;

/**
 * The rows of the report. Only the rows in the window are in the document; their number is said to screen readers. The page scrolls them, and where
 * the columns have no room, the box scrolls sideways.
 */
export function ReportTable({ rows, totals, state, dataThrough, sort }: TableProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const [view, setView] = useState({ top: 0, isWide: false, hasMore: false });
  const isCompared = state.compare !== undefined && totals.change !== undefined;
  const height = isCompared ? COMPARED_ROW : ROW;
  const first = Math.max(0, Math.min(rows.count, Math.floor(view.top / height)) - SPARE);
  const last = Math.min(rows.count, Math.max(0, Math.ceil((view.top + innerHeight) / height)) + SPARE);
  const keys = keysOf(state);
  const columns = [...keys, ...state.metrics];
  const { column: sorted, isDown } = sortOf(state);
  const nameOf = useLabels();

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => {
      const aside = (element.firstElementChild?.clientWidth ?? 0) - element.clientWidth;
      const top = -(body.current?.getBoundingClientRect().top ?? 0);
      setView({ top, isWide: aside > 1, hasMore: aside - element.scrollLeft > 1 });
    };
    look();
    const observer = new ResizeObserver(look);
    for (const part of [element, element.firstElementChild]) if (part) observer.observe(part);
    // That of the box does not bubble.
    document.addEventListener('scroll', look, { passive: true, capture: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('scroll', look, { capture: true });
    };
  }, [rows.count]);
  useEffect(() => rows.want(first, last));

  return (
    <>
      {view.isWide && <p class="aside quiet">More columns to the side →</p>}
      <div
        class={`scroller ${view.isWide ? 'wide' : ''} ${view.hasMore ? 'has-more' : ''}`}
        ref={box}
        tabindex={view.isWide ? 0 : undefined}
        role="region"
        aria-label="Report"
        onKeyDown={moveFocus}
      >
        <table
          class={`report ${isCompared ? 'compared' : ''}`}
          aria-rowcount={rows.count + 2}
          aria-colcount={columns.length}
        >
          <caption class="hidden">Arrow keys move between the columns, and down to the rows.</caption>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column, place) => (
                <Header
                  key={column}
                  text={nameOf(column)}
                  class={keys.includes(column) ? 'key-column' : ''}
                  isDown={
                    column === sorted && !(column === 'period_start' && state.grain === 'total') ? isDown : undefined
                  }
                  tabIndex={column === sorted || (place === 0 && !columns.includes(sorted)) ? 0 : -1}
                  sort={() => sort(column)}
                />
              ))}
            </tr>
            <tr class="totals" aria-rowindex={2}>
              <th scope="row" colSpan={Math.max(1, keys.length)}>
                Total
              </th>
              {state.metrics.map((metric) => (
                <td key={metric}>
                  <Amount metric={metric} row={totals} />
                </td>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            {first > 0 && <Spacer height={first * height} columns={columns.length} />}
            {Array.from({ length: Math.max(0, last - first) }, (_, place) => {
              const row = rows.at(first + place);
              const index = first + place + 3;
              return row ? (
                <Line key={index} {...{ row, index, keys, state, dataThrough }} />
              ) : (
                <tr key={index} aria-rowindex={index} aria-busy="true">
                  <td colSpan={columns.length}>
                    <i class="bone" />
                  </td>
                </tr>
              );
            })}
            {last < rows.count && <Spacer height={(rows.count - last) * height} columns={columns.length} />}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Moves the focus with the arrow keys between the buttons of the columns, and from row to row: all are one stop of Tab. */
function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const all = (query: string): HTMLElement[] => [...event.currentTarget.querySelectorAll<HTMLElement>(query)];
  const [heads, rows] = [all('thead button'), all('tbody .of-which')];
  const [column, row] = [heads, rows].map((buttons) => buttons.indexOf(event.target as HTMLElement)) as [
    number,
    number,
  ];
  const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
  const isAside = event.key === 'ArrowLeft' || event.key === 'ArrowRight';
  if (step === undefined || (column < 0 && (row < 0 || isAside))) return;
  event.preventDefault();
  const up = row === 0 ? heads.find(({ tabIndex }) => tabIndex === 0) : undefined;
  (isAside ? heads[column + step] : (rows[column < 0 ? row + step : step - 1] ?? up))?.focus();
}

interface LineProps extends Pick<TableProps, 'state' | 'dataThrough'> {
  readonly row: Row;
  readonly index: number;
  readonly keys: readonly string[];
}

function Line({ row, index, keys, state, dataThrough }: LineProps): JSX.Element {
  return (
    <tr aria-rowindex={index} class={row.counterpart === undefined || hasRow(row) ? '' : 'gone'}>
      {keys.map((key, place) => {
        const text = keyText(key, row, state.grain, true);
        const isNow = key === 'period_start' && isUnfinished(row, dataThrough);
        return place === 0 ? (
          <th key={key} scope="row">
            <span class="key">
              <Name text={text} to={placeOf(key, row)}>
                {isNow && <small class="quiet"> so far</small>}
              </Name>
              <OfWhich {...{ row, text, state }} tabIndex={-1} />
            </span>
          </th>
        ) : (
          <td key={key} class="word">
            <Name text={text} to={placeOf(key, row)} />
          </td>
        );
      })}
      {keys.length === 0 && <th scope="row">All</th>}
      {state.metrics.map((metric) => (
        <td key={metric}>
          <Amount metric={metric} row={row} />
        </td>
      ))}
    </tr>
  );
}

/** The page of what a cell names, if it has one. */
function placeOf(key: string, row: Row): string | undefined {
  const id = row['publisher_id'];
  return key === 'publisher_name' && typeof id === 'string' ? `publishers/${encodeURIComponent(id)}` : undefined;
}

/** Letters at the end of a name that are always shown. */
const NAME_END = 12;
/** An emoji is one letter, however many characters it has. */
const letters = new Intl.Segmenter();

interface NameProps {
  readonly text: string;
  readonly to?: string | undefined;
  readonly children?: ComponentChildren;
}

function Name({ text, to, children }: NameProps): JSX.Element {
  const all = Array.from(letters.segment(text), ({ segment }) => segment);
  const name = (
    <>
      <span class="start">{all.slice(0, -NAME_END).join('')}</span>
      {all.slice(-NAME_END).join('')}
    </>
  );
  return (
    <span class="text" title={text}>
      {to === undefined ? (
        name
      ) : (
        <Link to={to} tabIndex={-1}>
          {name}
        </Link>
      )}
      {children}
    </span>
  );
}

/** The columns before the metrics. */
function keysOf(state: ReportState): readonly string[] {
  const groupings = state.by.map((name) => (name === 'publisher' ? 'publisher_name' : name));
  return state.grain === 'total' && groupings.length > 0 ? groupings : ['period_start', ...groupings];
}

/** Returns what a row is called in one of its columns. */
export function keyText(key: string, row: Row, grain: string, isShort = false): string {
  if (key === 'period_start')
    return grain === 'total' ? 'All dates' : (isShort ? shortPeriod : periodText)(Date.parse(row.period_start), grain);
  return valueLabel(key, row[key]);
}

/** The column by which the rows are sorted, and whether the highest is first. */
function sortOf({ sort }: ReportState): { readonly column: string; readonly isDown: boolean } {
  return sort === ''
    ? { column: 'period_start', isDown: true }
    : { column: sort.replace(/^-/, ''), isDown: sort.startsWith('-') };
}

function hasRow(row: Row): boolean {
  return Object.keys(row.change ?? {}).some((metric) => Number(row[metric] ?? 0) !== 0);
}

function Amount({ metric, row }: { readonly metric: string; readonly row: Row | Totals }): JSX.Element {
  const change = row.change?.[metric];
  const before = Number(row.counterpart?.[metric] ?? 0);
  return (
    <>
      {valueText(metric, Number((row as Readonly<Record<string, unknown>>)[metric] ?? 0))}
      {change && <span class={`change ${newsOf(metric, change, before) ?? 'flat'}`}>{changeText(change, before)}</span>}
    </>
  );
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }): JSX.Element {
  return (
    <tr aria-hidden="true" class="spacer">
      <td colSpan={columns} style={{ height: `${height}px` }} />
    </tr>
  );
}
