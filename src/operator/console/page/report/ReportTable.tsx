import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLabels } from '../app/router.tsx';
import { isUnfinished } from '../../../reports/period.ts';
import { Button, Select } from '../parts/controls.tsx';
import { Header } from '../parts/layout.tsx';
import { OfWhich } from './OfWhich.tsx';
import type { ReportRows } from './useReport.ts';
import type { ReportState } from '../../../reports/reportState.ts';
import type { Row, Totals } from '../../../reports/comparison.ts';
import {
  changeText,
  newsOf,
  labelOf,
  periodText,
  shortPeriod,
  valueLabel,
  valueText,
} from '../../../reports/format.ts';

interface TableProps {
  readonly rows: ReportRows;
  readonly totals: Totals;
  readonly state: ReportState;
  readonly dataThrough: string | null;
  /** Sorts by a column, or turns its direction. */
  sort(column: string): void;
  /** Sorts by a column, with `-` before it for the highest first. */
  order(sort: string): void;
}

/** Pixels of a row; the style sheet has the same. All rows are equally high, so only those in view are rendered. */
const ROW = 40;
const COMPARED_ROW = 52;
/** Rows rendered above and below the view. */
const SPARE = 8;

/** Where a table would scroll in two directions within the page, each row is a card. */
const NARROW = '(max-width: 720px)';

/** The rows of the report: a table, or cards on a phone. */
export function ReportTable(props: TableProps): JSX.Element {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const look = (): void => setNarrow(query.matches);
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return isNarrow ? <RowCards {...props} /> : <RowTable {...props} />;
}

/**
 * Only the rows in the window are in the document; their number is said to screen readers. The page scrolls them, and where
 * the columns have no room, the box scrolls sideways.
 */
function RowTable({ rows, totals, state, dataThrough, sort }: TableProps): JSX.Element {
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

/** Cards that are shown first, and more with each press of the button below them. */
const CARDS = 20;

function RowCards({ rows, state, dataThrough, order }: TableProps): JSX.Element {
  const [most, setMost] = useState(CARDS);
  const keys = keysOf(state);
  const end = Math.min(most, rows.count);
  useEffect(() => rows.want(0, end));
  const { column, isDown } = sortOf(state);
  const columns = [...keys, ...state.metrics];
  const nameOf = useLabels();
  return (
    <div class="row-cards">
      <p class="row">
        <Select
          label="Sort by"
          options={columns.map((column) => [column, `By ${labelOf(column).toLowerCase()}`] as const)}
          value={column}
          choose={(by) => order(`-${by}`)}
        />
        <Button onClick={() => order(isDown ? column : `-${column}`)}>{isDown ? '↓ Descending' : '↑ Ascending'}</Button>
      </p>
      <ol>
        {Array.from({ length: end }, (_, index) => {
          const row = rows.at(index);
          if (!row) return <i key={index} class="bone" />;
          const text = keys.map((key) => keyText(key, row, state.grain, true)).join(' · ') || 'All';
          const isNow = keys.includes('period_start') && isUnfinished(row, dataThrough);
          return (
            <li key={index}>
              <h3>
                <span>
                  {text}
                  {isNow && <small class="quiet"> so far</small>}
                </span>
                <OfWhich row={row} text={text} state={state} />
              </h3>
              <dl>
                {state.metrics.map((metric) => (
                  <div key={metric}>
                    <dt>{nameOf(metric)}</dt>
                    <dd>
                      <Amount metric={metric} row={row} />
                    </dd>
                  </div>
                ))}
              </dl>
            </li>
          );
        })}
      </ol>
      {end < rows.count && (
        <p class="more">
          <Button onClick={() => setMost(most + CARDS)}>
            Show more: {end} of {rows.count.toLocaleString('en')}
          </Button>
        </p>
      )}
    </div>
  );
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
              <Name text={text}>{isNow && <small class="quiet"> so far</small>}</Name>
              <OfWhich {...{ row, text, state }} tabIndex={-1} />
            </span>
          </th>
        ) : (
          <td key={key} class="word">
            <Name text={text} />
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

/** Characters at the end of a name that are always shown. */
const NAME_END = 12;

function Name({ text, children }: { readonly text: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <span class="text" title={text}>
      <span class="start">{text.slice(0, -NAME_END)}</span>
      {text.slice(-NAME_END)}
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
