import type { ComponentChildren, JSX, TargetedKeyboardEvent } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link } from '../app/router.tsx';
import { isUnfinished } from '../../../reports/period.ts';
import { Button, Select } from '../parts/controls.tsx';
import { Icon } from '../parts/icons.tsx';
import { Popover } from '../parts/Popover.tsx';
import type { ReportRows } from './useReport.ts';
import { queryOfState, type ReportState } from '../../../reports/reportState.ts';
import type { Row, Totals } from '../../../reports/comparison.ts';
import { GROUPINGS } from '../../../reports/reportQuery.ts';
import { changeOf, newsOf, labelOf, periodOf, shortPeriodOf, valueLabelOf, valueOf } from '../../../reports/format.ts';
import { addDays, monthEnd } from '../../../../wire/utcDates.ts';

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

/** Only the rows in view are in the document; their number is said to screen readers. */
function RowTable({ rows, totals, state, dataThrough, sort }: TableProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600, isWide: false, hasMore: false });
  const isCompared = state.compare !== undefined && totals.change !== undefined;
  const height = isCompared ? COMPARED_ROW : ROW;
  const first = Math.max(0, Math.floor(view.top / height) - SPARE);
  const last = Math.min(rows.count, Math.ceil((view.top + view.height) / height) + SPARE);
  const keys = keysOf(state);
  const columns = [...keys, ...state.metrics];
  const scroller = view.hasMore ? 'scroller has-more' : 'scroller';

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => {
      const { scrollTop: top, clientHeight: height, scrollWidth, clientWidth, scrollLeft } = element;
      const aside = scrollWidth - clientWidth;
      setView({ top, height, isWide: aside > 1, hasMore: aside - scrollLeft > 1 });
    };
    look();
    const observer = new ResizeObserver(look);
    for (const part of [element, element.firstElementChild]) if (part) observer.observe(part);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [rows.count]);
  useEffect(() => rows.want(first, last));

  return (
    <>
      {view.isWide && <p class="aside quiet">More columns to the side →</p>}
      <div class={scroller} ref={box} tabindex={0} role="region" aria-label="Report" onKeyDown={moveFocus}>
        <table
          class={`report ${isCompared ? 'compared' : ''}`}
          aria-rowcount={rows.count + 2}
          aria-colcount={columns.length}
        >
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((column) => (
                <SortHeader key={column} column={column} state={state} sort={sort} isKey={keys.includes(column)} />
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
          <tbody>
            {first > 0 && <Spacer height={first * height} columns={columns.length} />}
            {Array.from({ length: Math.max(0, last - first) }, (_, place) => {
              const row = rows.at(first + place);
              const index = first + place + 3;
              return row ? (
                <Line key={index} {...{ row, index, keys, state, dataThrough }} tabIndex={place === 0 ? 0 : -1} />
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

/** Moves the focus with the arrow keys from the button of one row to that of the next: all of them are one stop of Tab. */
function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('tbody .of-which')];
  const index = buttons.indexOf(event.target as HTMLElement);
  if (!step || index < 0) return;
  event.preventDefault();
  buttons[index + step]?.focus();
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
                    <dt>{labelOf(metric)}</dt>
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
  readonly tabIndex: number;
}

function Line({ row, index, keys, state, dataThrough, tabIndex }: LineProps): JSX.Element {
  return (
    <tr aria-rowindex={index} class={row.counterpart === undefined || hasRow(row) ? '' : 'gone'}>
      {keys.map((key, place) => {
        const text = keyText(key, row, state.grain, true);
        const isNow = key === 'period_start' && isUnfinished(row, dataThrough);
        return place === 0 ? (
          <th key={key} scope="row">
            <span class="key">
              <Name text={text}>{isNow && <small class="quiet"> so far</small>}</Name>
              <OfWhich {...{ row, text, state, tabIndex }} />
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
    return grain === 'total' ? 'All dates' : (isShort ? shortPeriodOf : periodOf)(Date.parse(row.period_start), grain);
  return valueLabelOf(key, row[key]);
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

interface HeaderProps extends Pick<TableProps, 'state' | 'sort'> {
  readonly column: string;
  readonly isKey: boolean;
}

function SortHeader({ column, state, sort, isKey }: HeaderProps): JSX.Element {
  const { column: sorted, isDown } = sortOf(state);
  const isSorted = sorted === column && !(column === 'period_start' && state.grain === 'total');
  return (
    <th
      scope="col"
      class={isKey ? 'key-column' : ''}
      aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : 'none'}
    >
      <button type="button" onClick={() => sort(column)}>
        {labelOf(column)}
        <span class="arrow" aria-hidden="true">
          {isSorted ? (isDown ? '↓' : '↑') : ''}
        </span>
      </button>
    </th>
  );
}

function Amount({ metric, row }: { readonly metric: string; readonly row: Row | Totals }): JSX.Element {
  const change = row.change?.[metric];
  const before = Number(row.counterpart?.[metric] ?? 0);
  return (
    <>
      {valueOf(metric, Number((row as Readonly<Record<string, unknown>>)[metric] ?? 0))}
      {change && <span class={`change ${newsOf(metric, change, before) ?? 'flat'}`}>{changeOf(change, before)}</span>}
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

interface OfWhichProps extends Pick<LineProps, 'row' | 'state'> {
  readonly text: string;
  readonly tabIndex?: number;
}

/** Opens the reports that a row is made of. */
function OfWhich({ row, text, state, tabIndex = 0 }: OfWhichProps): JSX.Element | null {
  const drills = drillDownsOf(row, state);
  if (drills.length === 0) return null;
  return (
    <Popover class="of-which" name={`${text}: of which …`} label={<Icon name="split" />} tabIndex={tabIndex}>
      {(close) => (
        <nav class="menu" aria-label={`${text}: of which`}>
          <p class="quiet">Of which</p>
          {drills.map(({ label, state: closer }) => (
            <Link key={label} to={`?${queryOfState(closer)}`} onClick={close}>
              {label}
            </Link>
          ))}
        </nav>
      )}
    </Popover>
  );
}

/** The details of one row. */
export interface DrillDown {
  readonly label: string;
  readonly state: ReportState;
}

const FINER = { month: 'day', week: 'day', day: 'hour' } as const;
/**
 * Returns the reports that a row is made of: its own dates and filters, with another breakdown or a finer grain. The network
 * has no filter for widget ids, so a row of one has none unless its dates are enough.
 */
export function drillDownsOf(row: Row, state: ReportState): readonly DrillDown[] {
  const { publisher, page_type, widget_type } = state.filters;
  if (state.by.includes('widget_id')) return [];
  const own = (name: string, list: readonly string[]): readonly string[] => {
    const value = row[name];
    return typeof value === 'string' && value !== '' ? [value] : list;
  };
  const within: ReportState = {
    ...state,
    ...datesOfRow(row, state),
    filters: {
      publisher: own('publisher_id', publisher),
      page_type: own('page_type', page_type),
      widget_type: own('widget_type', widget_type),
    },
    sort: '',
  };
  const rest = GROUPINGS[state.variant].filter((name) => !state.by.includes(name));
  const drills = rest.map((name): DrillDown => {
    return {
      label: `by ${labelOf(name).replace(/^./, (first) => first.toLowerCase())}`,
      state: { ...within, by: [name], grain: 'total', sort: `-${state.chart}` },
    };
  });
  const finer = state.grain in FINER ? FINER[state.grain as keyof typeof FINER] : undefined;
  const over = state.grain === 'total' ? 'day' : finer;
  if (over !== undefined) drills.push({ label: `by ${over}`, state: { ...within, by: [], grain: over } });
  return drills;
}

/** The dates of the row's period, within those of the report. */
function datesOfRow(row: Row, state: ReportState): Partial<ReportState> {
  const from = row.period_start.slice(0, 10);
  switch (state.grain) {
    case 'total':
      return {};
    case 'hour':
    case 'day':
      return { period: { from, to: from } };
    case 'week':
    case 'month': {
      // Edge periods are clipped to the report's dates; their end is exclusive.
      const end = addDays(row.period_end.slice(0, 10), -1);
      return { period: { from, to: end < from ? monthEnd(from) : end } };
    }
  }
}
