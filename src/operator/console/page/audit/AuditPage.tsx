import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '../app/call.ts';
import { go, useTitle, type PageProps } from '../app/router.tsx';
import { useCall, useWork } from '../app/useResource.ts';
import { Button, CsvButton, Segments } from '../parts/controls.tsx';
import { Pending, ProblemNote, StaleBanner } from '../parts/FailurePanel.tsx';
import { Icon } from '../parts/icons.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { AUDIT_PERIODS, type ConsoleAudit, type ConsoleContext, type Miscounting } from '../../protocol.ts';
import { labelOf, momentOf, plural, rangeOf, shortPeriodOf, wordOf } from '../../../reports/format.ts';
import { describeAudit, isWrong, type Audit } from '../../../../wire/audit/makeAudit.ts';
import type { AuditRow } from '../../../../wire/audit/compareCounts.ts';
import { oneOf } from '../../../../wire/json.ts';
import { toCsv } from '../../../../wire/toCsv.ts';

const DOCS = 'https://github.com/offerlet/offerlet/blob/main/docs/operate/audit.md';
/** Hours that are shown. The CSV has all. */
const HOURS_MAX = 30;

/** Two counts of the same events: the relay's ledger beside the network's report. */
export function AuditPage({ place, session }: PageProps): JSX.Element {
  const period = oneOf(AUDIT_PERIODS, place.params.get('period')) ?? 'today';
  if (!session.audit) return <NoLedger />;
  return (
    <>
      <PageHead title="Audit">
        <Segments
          label="Period"
          options={AUDIT_PERIODS.map((name) => [name, wordOf(name)] as const)}
          value={period}
          choose={(name) => go(name === 'today' ? 'audit' : `audit?period=${name}`)}
        />
      </PageHead>
      <p class="lead quiet">
        Every event passes the relay, which counts what the network accepted. Here is its count, beside the network’s
        report.
      </p>
      <Comparison query={`audit?period=${period}`} session={session} isSandbox={session.audit.is_sandbox} />
    </>
  );
}

interface ComparisonProps {
  readonly query: string;
  readonly session: ConsoleContext;
  readonly isSandbox: boolean;
}

function Comparison({ query, session, isSandbox }: ComparisonProps): JSX.Element {
  const resource = useCall<ConsoleAudit>(query, session.refresh_ms);
  const { data, dataKey, failure, reload } = resource;
  const isOther = dataKey !== query;
  return (
    <>
      {!isOther && <StaleBanner resource={resource} />}
      {!data || (failure && isOther) ? (
        <Pending resource={resource} label="Comparing …" />
      ) : (
        <div class={isOther ? 'content loading' : 'content'} aria-busy={isOther}>
          {data.audit ? <Compared audit={data.audit} /> : <EmptyLedger />}
        </div>
      )}
      {isSandbox && <MiscountPanel now={data?.now} compareAgain={reload} />}
      <p class="foot-note quiet">
        Days and hours are UTC. The same every night, for any period and by placement: <code>npx offerlet audit</code>.{' '}
        <a href={DOCS}>About audits</a>
      </p>
    </>
  );
}

function NoLedger(): JSX.Element {
  useTitle('Audit');
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
        <Card
          title={plural(new Set(wrong.map(({ period_start }) => period_start)).size, 'hour differs', 'hours differ')}
          class="table-card"
          beside={<CsvButton name={`audit-${audit.from}-${audit.to}`} make={() => csvOf(audit)} />}
        >
          <CountTable rows={wrong.slice(0, HOURS_MAX)} caption="Hours that differ" hourOf={hourOf} />
          {wrong.length > HOURS_MAX && <p class="more quiet">{wrong.length - HOURS_MAX} more rows are in the CSV.</p>}
        </Card>
      )}
      {causes.length > 0 && (
        <Card title="What can explain it, the likeliest first" class="causes">
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
        </Card>
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
      <Table
        class="report counts"
        caption={caption}
        columns={[...(hourOf ? ['Hour'] : []), ['Metric', 'word'], 'Relay', 'Network', 'Difference', '%', 'Verdict']}
      >
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
      </Table>
    </div>
  );
}

function signed(value: number): string {
  return value.toLocaleString('en', { signDisplay: 'exceptZero' }).replace('-', '−');
}

function csvOf({ rows }: Audit): string {
  return toCsv(rows.map(({ group: _group, ...row }) => row));
}

/** What the sandbox network can do, and what to expect of the audit. */
const WAYS = [
  ['none', 'Correctly', 'What it accepts, it counts once, in its hour.'],
  ['drops_events', 'Drops events', 'It accepts all, and silently drops one of a hundred.'],
  ['counts_clicks_twice', 'Counts clicks twice', 'Each click that it accepts from now on.'],
  ['reports_late', 'Reports late', 'Nothing after the day before yesterday, until you choose something else.'],
  ['lost_hour', 'Loses this hour', 'It accepts what happens until the hour is over, and never counts it.'],
] as const;
type Way = (typeof WAYS)[number][0];

interface MiscountPanelProps {
  /** The network's time. */
  readonly now: string | undefined;
  compareAgain(): void;
}

/** Lets the sandbox network count wrongly, and shoppers shop, so that the audit has something to find. */
function MiscountPanel({ now, compareAgain }: MiscountPanelProps): JSX.Element {
  const { data } = useCall<Miscounting>('audit/miscount');
  const { failure, run } = useWork();
  const [isShopping, setShopping] = useState(false);
  const [chosen, setChosen] = useState<Way>();
  const way = chosen ?? (data && (data.miscount ?? (data.lost_hour === null ? 'none' : 'lost_hour')));

  async function choose(next: Way): Promise<void> {
    setChosen(next);
    const body: Miscounting = {
      miscount: next === 'none' || next === 'lost_hour' ? null : next,
      lost_hour: next === 'lost_hour' ? (now ?? null) : null,
    };
    if (!(await run(() => call('audit/miscount', { method: 'PUT', body })))) setChosen(way);
    compareAgain();
  }

  async function shop(): Promise<void> {
    setShopping(true);
    await run(() => call('audit/shoppers', { method: 'POST', body: {} }));
    setShopping(false);
    compareAgain();
  }

  return (
    <section class="card miscount" aria-labelledby="miscount">
      <header>
        <div>
          <h2 id="miscount">How the sandbox network counts</h2>
          <p class="quiet">Let it count wrongly, and see whether the audit notices. What it dropped stays dropped.</p>
        </div>
        <Button disabled={isShopping} onClick={() => void shop()}>
          {isShopping ? 'They are shopping …' : 'Let 60 shoppers shop'}
        </Button>
      </header>
      {failure && <ProblemNote>{failure.message}</ProblemNote>}
      <fieldset>
        <legend class="hidden">How the network counts</legend>
        {WAYS.map(([name, title, text]) => (
          <label key={name}>
            <input
              type="radio"
              name="miscount"
              checked={way === name}
              disabled={way === undefined}
              onChange={() => void choose(name)}
            />
            <span>
              <b>{title}</b>
              <span class="quiet">{text}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </section>
  );
}
