import type { JSX } from 'preact';
import { go, useTitle, type Place } from '../app/router.tsx';
import { call } from '../app/call.ts';
import { useResource } from '../app/useResource.ts';
import { Pending, StaleBanner } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import { download as save } from '../parts/download.ts';
import { AUDIT_PERIODS, type AuditPeriod, type ConsoleAudit, type ConsoleContext } from '../../protocol.ts';
import { labelOf, momentOf, plural, rangeOf, shortPeriodOf, wordOf } from '../../../reports/format.ts';
import { describeAudit, isWrong, type Audit } from '../../../../wire/audit/makeAudit.ts';
import type { AuditRow } from '../../../../wire/audit/compareCounts.ts';
import { oneOf } from '../../../../wire/json.ts';
import { toCsv } from '../../../../wire/toCsv.ts';
import { MiscountPanel } from './MiscountPanel.tsx';

const DOCS = 'https://github.com/offerlet/offerlet/blob/main/docs/operate/audit.md';
/** Hours that are shown. The CSV has all. */
const HOURS_MAX = 30;

/** Two counts of the same events: the relay's ledger beside the network's report. */
export function AuditPage({
  place,
  session,
}: {
  readonly place: Place;
  readonly session: ConsoleContext;
}): JSX.Element {
  useTitle('Audit');
  const period = oneOf(AUDIT_PERIODS, place.params.get('period')) ?? 'today';
  if (!session.audit) return <NoLedger />;
  return (
    <>
      <header class="page-head">
        <h1 tabindex={-1}>Audit</h1>
        <fieldset class="segments">
          <legend class="hidden">Period</legend>
          {AUDIT_PERIODS.map((name) => (
            <label key={name}>
              <input
                type="radio"
                name="period"
                checked={period === name}
                onChange={() => go(name === 'today' ? 'audit' : `audit?period=${name}`)}
              />
              <span>{wordOf(name)}</span>
            </label>
          ))}
        </fieldset>
      </header>
      <p class="lead quiet">
        Every event passes the relay, which counts what the network accepted. Here is its count, beside the network’s
        report.
      </p>
      <Comparison period={period} session={session} isSandbox={session.audit.is_sandbox} />
    </>
  );
}

interface ComparisonProps {
  readonly period: AuditPeriod;
  readonly session: ConsoleContext;
  readonly isSandbox: boolean;
}

function Comparison({ period, session, isSandbox }: ComparisonProps): JSX.Element {
  const resource = useResource({
    key: `audit?period=${period}`,
    load: (signal) => call<ConsoleAudit>(`audit?period=${period}`, { signal }),
    refresh: session.refresh_ms,
  });
  const { data, dataKey, failure } = resource;
  const isOther = dataKey !== `audit?period=${period}`;
  const isStale = failure !== undefined && data !== undefined && !isOther;
  const { audit } = data ?? {};
  return (
    <>
      {isStale && (
        <StaleBanner failure={failure} readAt={resource.readAt} retryIn={resource.retryIn} retry={resource.reload} />
      )}
      {!data || (failure && !isStale) ? (
        <Pending resource={resource} label="Comparing …" />
      ) : (
        <div class={isOther ? 'content loading' : 'content'} aria-busy={isOther}>
          {audit ? <Compared audit={audit} /> : <EmptyLedger />}
        </div>
      )}
      {isSandbox && <MiscountPanel now={data?.now} compareAgain={resource.reload} />}
      <p class="foot-note quiet">
        Days and hours are UTC. The same every night, for any period and by placement: <code>npx offerlet audit</code>.{' '}
        <a href={DOCS}>About audits</a>
      </p>
    </>
  );
}

function NoLedger(): JSX.Element {
  return (
    <section class="failure">
      <h1>This console has no ledger</h1>
      <p>
        An audit compares a shop’s own count with the network’s. The shop’s relay keeps that count; whoever runs it
        compares with <code>npx offerlet audit</code>, or opens this page with a console that has the ledger.
      </p>
      <p>
        <a href={DOCS}>About audits</a>
      </p>
    </section>
  );
}

function EmptyLedger(): JSX.Element {
  return (
    <section class="card">
      <p class="empty">
        <b>The ledger is empty</b> It begins with the first offers that the relay requests.
      </p>
    </section>
  );
}

function Compared({ audit }: { readonly audit: Audit }): JSX.Element {
  const { totals, rows, explanations, definitions, problems } = audit;
  const wrong = rows.filter(isWrong);
  const causes = explanations.filter(({ direction }) => direction !== 'neither');
  const others = explanations.filter(({ direction }) => direction === 'neither');
  const notes = Object.entries(definitions);
  // The date is above the table.
  const hourOf = (start: string): string =>
    audit.from === audit.to ? start.slice(11, 16) : shortPeriodOf(Date.parse(start), 'hour');
  return (
    <>
      <Verdict audit={audit} />
      {rows.length > 0 && (
        <section class="card table-card" aria-label="Totals">
          <CountTable rows={totals} caption="Totals by metric" />
        </section>
      )}
      {wrong.length > 0 && (
        <section class="card table-card" aria-labelledby="hours">
          <header>
            <h2 id="hours">
              {plural(new Set(wrong.map(({ period_start }) => period_start)).size, 'hour differs', 'hours differ')}
            </h2>
            <button type="button" class="button small" onClick={() => download(audit)}>
              <Icon name="download" /> CSV
            </button>
          </header>
          <CountTable rows={wrong.slice(0, HOURS_MAX)} caption="Hours that differ" hourOf={hourOf} />
          {wrong.length > HOURS_MAX && <p class="more quiet">{wrong.length - HOURS_MAX} more rows are in the CSV.</p>}
        </section>
      )}
      {causes.length > 0 && (
        <section class="card causes" aria-labelledby="causes">
          <h2 id="causes">What can explain it, the likeliest first</h2>
          <ol>
            {causes.map(({ cause, text }) => (
              <li key={cause}>{text}</li>
            ))}
          </ol>
          {notes.length > 0 && (
            <details>
              <summary>How the definitions differ</summary>
              <dl>
                {notes.map(([metric, text]) => (
                  <div key={metric}>
                    <dt>{labelOf(metric)}</dt>
                    <dd>{text}</dd>
                  </div>
                ))}
              </dl>
            </details>
          )}
        </section>
      )}
      {(others.length > 0 || problems.length > 0) && (
        <ul class="asides quiet">
          {[...others.map(({ text }) => text), ...problems].map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function Verdict({ audit }: { readonly audit: Audit }): JSX.Element {
  const { kind, title, facts } = describeAudit(audit, momentOf);
  const differences = audit.totals
    .filter(isWrong)
    .map(({ metric, difference }) => `${labelOf(metric)} ${signed(difference)}`);
  return (
    <section class={`verdict ${kind}`} role="status">
      <Icon name={ICONS[kind]} />
      <div>
        <h2>{title.replace("'", '’')}</h2>
        {differences.length > 0 && <p class="differences">{differences.join(' · ')}</p>}
        <p class="quiet">{[rangeOf(audit), ...facts].join(' · ')}</p>
      </div>
    </section>
  );
}

const ICONS = { good: 'check', neutral: 'calendar', late: 'warning', bad: 'warning' } as const;

interface CountTableProps {
  readonly rows: readonly AuditRow[];
  readonly caption: string;
  /** Writes the hour of a row; without it, there is no such column. */
  readonly hourOf?: (start: string) => string;
}

function CountTable({ rows, caption, hourOf }: CountTableProps): JSX.Element {
  return (
    <div class="scroller" tabindex={0} role="region" aria-label={caption}>
      <table class="report counts">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {hourOf && <th scope="col">Hour</th>}
            <th scope="col" class="word">
              Metric
            </th>
            <th scope="col">Relay</th>
            <th scope="col">Network</th>
            <th scope="col">Difference</th>
            <th scope="col">%</th>
            <th scope="col">Verdict</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const { period_start: start, metric, ours, theirs, difference, percent, verdict } = row;
            return (
              <tr key={`${start} ${metric}`}>
                {hourOf && <th scope="row">{hourOf(start ?? '')}</th>}
                {hourOf ? <td class="word">{labelOf(metric)}</td> : <th scope="row">{labelOf(metric)}</th>}
                <td data-label="Relay">{ours.toLocaleString('en')}</td>
                <td data-label="Network">{theirs.toLocaleString('en')}</td>
                <td data-label="Difference">{signed(difference)}</td>
                <td data-label="%" class="quiet">
                  {percent === null || difference === 0 ? '' : signed(percent)}
                </td>
                <td class="verdict-cell">
                  <span class={`badge ${verdict}`}>{verdict}</span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function signed(value: number): string {
  return value.toLocaleString('en', { signDisplay: 'exceptZero' }).replace('-', '−');
}

function download({ rows, from, to }: Audit): void {
  const records = rows.map(({ group: _group, ...row }) => row);
  save(toCsv(records), `audit-${from}-${to}.csv`);
}
