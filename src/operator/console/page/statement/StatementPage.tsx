import type { JSX } from 'preact';
import { go, Link, useLabels, type PageProps } from '../app/router.tsx';
import { useCall } from '../app/useResource.ts';
import { CsvButton, Select } from '../parts/controls.tsx';
import { Pending, StaleBanner } from '../parts/FailurePanel.tsx';
import { PageHead, Table } from '../parts/layout.tsx';
import type { ConsoleStatement } from '../../protocol.ts';
import { periodText, rangeText, valueText } from '../../../reports/format.ts';
import { dateOf, monthStart, startOf } from '../../../../wire/utcDates.ts';

/** Months to choose from: this one, and two years back. */
const MONTHS = 25;

/** What each publisher earned the channel in a month, as the command `statement` prints it. */
export function StatementPage({ place }: PageProps): JSX.Element {
  const today = dateOf(Date.now());
  const months = Array.from({ length: MONTHS }, (_, back) => monthStart(today, -back).slice(0, 7));
  const given = place.params.get('month') ?? '';
  const month = months.includes(given) ? given : (months[1] ?? '');
  const resource = useCall<ConsoleStatement>(`statement?month=${month}`);
  const { data, isCurrent, isLoading } = resource;
  return (
    <>
      <PageHead title="Statement">
        <Select
          label="Month"
          options={months.map((one) => [one, nameOf(one)] as const)}
          value={month}
          choose={(one) => go(`statement?month=${one}`)}
        />
      </PageHead>
      {isCurrent && <StaleBanner resource={resource} />}
      {data && (isCurrent || isLoading) ? (
        <div class={isCurrent ? 'content' : 'content loading'} aria-busy={isLoading}>
          <Lines statement={data} />
        </div>
      ) : (
        <Pending resource={resource} label="Reading what each publisher earned …" />
      )}
    </>
  );
}

function Lines({ statement }: { readonly statement: ConsoleStatement }): JSX.Element {
  const { month, metrics, data, totals, channel, rounding, complete_through: through } = statement;
  const labelOf = useLabels();
  const cells = (values: Readonly<Record<string, string | number | null>>): JSX.Element[] =>
    metrics.map((name) => (
      <td key={name} class={classOf(name)}>
        {valueText(name, Number(values[name] ?? 0))}
      </td>
    ));
  return (
    <>
      <p class="lead quiet" role="status">
        Amounts are what {channel} is paid, not what its publishers are paid.
        {!statement.is_complete &&
          ` ${nameOf(month)} is not complete: ${through === null ? 'there is no data yet' : `the last complete day is ${rangeText({ from: through, to: through })}`}. These figures will still change.`}
        {rounding !== 0 &&
          ` Each amount is rounded: the lines add up to ${valueText('channel_payout', Math.abs(rounding))} ${rounding > 0 ? 'less' : 'more'} than the total.`}
      </p>
      <section class="card list" aria-label={`Statement of ${nameOf(month)}`}>
        <header>
          <h2>{nameOf(month)}</h2>
          <CsvButton name={`statement-${month}`} make={() => statement.csv} />
        </header>
        <Table
          class="publishers statement"
          columns={['Publisher', ...metrics.map((name) => ({ text: labelOf(name), class: classOf(name) }))]}
        >
          {data.map((line) => (
            <tr key={line.publisher_id ?? ''}>
              <th scope="row">
                {line.publisher_id === null ? (
                  line.publisher_name
                ) : (
                  <Link to={`publishers/${encodeURIComponent(line.publisher_id)}`}>{line.publisher_name}</Link>
                )}
              </th>
              {cells(line)}
            </tr>
          ))}
          <tr class="totals">
            <th scope="row">Total</th>
            {cells(totals)}
          </tr>
        </Table>
      </section>
    </>
  );
}

/** Beside the names, a phone has room for what is paid and for what. */
function classOf(metric: string): string {
  return ['conversions', 'channel_payout'].includes(metric) ? 'number' : 'number wide-only';
}

function nameOf(month: string): string {
  return periodText(startOf(`${month}-01`), 'month');
}
