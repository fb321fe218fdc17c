import type { JSX } from 'preact';
import { go, Link, type PageProps } from '../app/router.tsx';
import { useCall } from '../app/useResource.ts';
import { Button, CsvButton, Select } from '../parts/controls.tsx';
import { Pending } from '../parts/FailurePanel.tsx';
import { PageHead, Table } from '../parts/layout.tsx';
import type { ConsoleContext } from '../../protocol.ts';
import { labelOf, momentOf, periodOf, plural, rangeOf, valueOf } from '../../../reports/format.ts';
import {
  datesOfMonth,
  isMonth,
  metricsChanged,
  PAYOUT,
  statementOf,
  statementRows,
  type Statement,
  type StatementLine,
} from '../../../statements/statement.ts';
import { toCsv } from '../../../../wire/toCsv.ts';
import { dateOf, monthStart, startOf } from '../../../../wire/utcDates.ts';

/** Months to choose from. */
const MONTHS = 13;

/** The payout of a month by publisher, or that of one publisher; it prints without the rest of the page. */
export function StatementsPage({ place, session }: PageProps): JSX.Element {
  const today = dateOf(Date.now());
  const [, given = '', id] = place.path.split('/');
  const month = isMonth(given) ? given : monthStart(today, -1).slice(0, 7);
  const months = [...Array(MONTHS).keys()].map((back) => monthStart(today, -back).slice(0, 7));
  const resource = useCall<Statement>(`statement?month=${month}`);
  const { data, isLoading, failure } = resource;
  const publisher = id === undefined ? undefined : decodeURIComponent(id);
  const shown = data && !failure ? (publisher === undefined ? data : statementOf(data, publisher)) : undefined;
  return (
    <>
      <PageHead title="Statements">
        <div class="row">
          <Select
            label="Month"
            options={[...new Set([month, ...months])]
              .toSorted()
              .toReversed()
              .map((one) => [one, monthName(one)] as const)}
            value={month}
            choose={(one) => go(`statements/${one}${id === undefined ? '' : `/${id}`}`)}
          >
            <span class="quiet">Month</span>
          </Select>
          <CsvButton name={`statement-${month}`} kind="" isDisabled={!shown} make={() => (shown ? csvOf(shown) : '')} />
          <Button disabled={!shown} onClick={() => print()}>
            Print
          </Button>
        </div>
      </PageHead>
      {publisher !== undefined && (
        <p class="crumb no-print">
          <Link to={`statements/${month}`}>All publishers</Link>
        </p>
      )}
      {shown ? (
        <div class={isLoading ? 'content loading' : 'content'} aria-busy={isLoading}>
          <Sheet statement={shown} isOne={publisher !== undefined} session={session} />
        </div>
      ) : (
        <Pending resource={resource} label="Reading the month …" />
      )}
    </>
  );
}

function csvOf(statement: Statement): string {
  const { rows, columns } = statementRows(statement);
  return toCsv(rows, { columns });
}

function monthName(month: string): string {
  return periodOf(startOf(`${month}-01`), 'month');
}

interface SheetProps {
  readonly statement: Statement;
  readonly isOne: boolean;
  readonly session: ConsoleContext;
}

function Sheet({ statement, isOne, session }: SheetProps): JSX.Element {
  const { month, metrics, lines, totals, changes, currency, frozen_at, isComplete } = statement;
  const dates = datesOfMonth(month);
  const label = (name: string): string =>
    name === PAYOUT && currency !== null ? `${labelOf(name)}, ${currency}` : labelOf(name);
  const name = isOne ? (lines[0]?.publisher_name ?? changes[0]?.publisher_name ?? 'This publisher') : undefined;
  return (
    <article class="card statement">
      <header>
        <p class="quiet">{session.channel}</p>
        <h2>
          Statement for {monthName(month)}
          {name !== undefined && <> · {name}</>}
        </h2>
        <p class="quiet">
          {rangeOf(dates)}, UTC days. {statusOf(statement)}
          {frozen_at === null && isComplete && (
            <span class="no-print"> Start the console with --statements FOLDER to freeze it.</span>
          )}
        </p>
      </header>
      {lines.length === 0 ? (
        <p class="none quiet">There was no activity.</p>
      ) : isOne ? (
        <dl>
          {metrics.map((metric) => (
            <div key={metric} class={metric === PAYOUT ? 'payout' : ''}>
              <dt>{label(metric)}</dt>
              <dd>{valueOf(metric, totals[metric] ?? 0)}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <Table
          columns={['Publisher', ...metrics.map((metric) => [label(metric), widthOf(metric)] as const)]}
          foot={
            <tfoot>
              <tr>
                <th scope="row">Total</th>
                <Values metrics={metrics} values={totals} />
              </tr>
            </tfoot>
          }
        >
          {lines.map(({ publisher_id: one, publisher_name: called, values }) => (
            <tr key={one}>
              <th scope="row">
                {one === '' ? called : <Link to={`statements/${month}/${encodeURIComponent(one)}`}>{called}</Link>}
              </th>
              <Values metrics={metrics} values={values} />
            </tr>
          ))}
        </Table>
      )}
      {changes.length > 0 && frozen_at !== null && <Changes statement={statement} label={label} />}
    </article>
  );
}

function statusOf({ frozen_at, isComplete, through, changes }: Statement): string {
  if (frozen_at !== null)
    return `Frozen on ${momentOf(frozen_at)}.${changes.length === 0 ? ' Nothing has changed since.' : ''}`;
  if (isComplete) return 'The month is complete, but not frozen.';
  return `Not complete: ${through === null ? 'there is no data yet' : `data until ${rangeOf({ from: through, to: through })}`}. These figures will still change.`;
}

/** Where there is little room, only the payout is shown. */
function widthOf(metric: string): string {
  return metric === PAYOUT ? '' : 'wide-only';
}

function Values({ metrics, values }: Pick<Statement, 'metrics'> & Pick<StatementLine, 'values'>): JSX.Element {
  return (
    <>
      {metrics.map((metric) => (
        <td key={metric} class={widthOf(metric)}>
          {valueOf(metric, values[metric] ?? 0)}
        </td>
      ))}
    </>
  );
}

/** What late events changed; the statement itself keeps its figures. */
function Changes({ statement, label }: { readonly statement: Statement; label(metric: string): string }): JSX.Element {
  return (
    <section class="changes" aria-labelledby="changes">
      <h3 id="changes">Changed since, by late events: {plural(statement.changes.length, 'publisher')}</h3>
      <Table columns={['Publisher', 'Frozen', 'Now', 'Change']}>
        {statement.changes.flatMap((change) =>
          metricsChanged(statement.metrics, change).map(({ metric, before, now, difference }) => (
            <tr key={`${change.publisher_id} ${metric}`}>
              <th scope="row">
                {change.publisher_name} <span class="quiet">{label(metric)}</span>
              </th>
              <td>{valueOf(metric, before)}</td>
              <td>{valueOf(metric, now)}</td>
              <td>{`${difference > 0 ? '+' : ''}${valueOf(metric, difference)}`.replace('-', '−')}</td>
            </tr>
          )),
        )}
      </Table>
    </section>
  );
}
