import type { LedgerRow } from '../../relay.ts';
import { AUDITED, AUDITED_METRICS, SHARED_SESSIONS, type AuditComparison, type AuditRow } from './compareCounts.ts';

/** One thing that can explain a difference, or that neither count contains. */
export interface AuditExplanation {
  readonly cause:
    | 'data_through'
    | 'answers_lost'
    | 'possible_duplicates'
    | 'ledger_damaged'
    | 'other_relay'
    | 'other_senders'
    | 'definition'
    | 'network'
    | 'no_placement'
    | 'shared_sessions'
    | 'unloaded'
    | 'refused'
    | 'deferred'
    | 'expired';
  /** Whether the network counts less or more because of it; `neither` for what is in neither count. */
  readonly direction: 'missing' | 'extra' | 'neither';
  /** How many events that is at most; `null` when nobody can know. */
  readonly events: number | null;
  /** One or two sentences. */
  readonly text: string;
}

export interface ExplainInput {
  readonly comparison: AuditComparison;
  readonly ours: readonly LedgerRow[];
  /** What of the ledger could not be read. */
  readonly problems: readonly string[];
}

/** What a report is whose data do not reach to the end of the dates. */
export const INCOMPLETE = "The network's report is not complete yet";

/** Returns what can explain the differences, the likeliest first, and then what is in neither count. */
export function explainDifference({ comparison, ours, problems }: ExplainInput): readonly AuditExplanation[] {
  const wrong = comparison.rows.filter(({ verdict }) => verdict !== 'ok' && verdict !== 'open');
  const missing = sumDifferences(wrong.filter(({ difference }) => difference < 0));
  const extra = sumDifferences(wrong.filter(({ difference }) => difference > 0));
  const count = (name: string): number => countRows(ours, (row) => row.name === name);
  const found: AuditExplanation[] = [];
  const add = (cause: AuditExplanation['cause'], rest: Omit<AuditExplanation, 'cause'>): void => {
    if (rest.events !== 0) found.push({ cause, ...rest });
  };
  if (missing > 0) {
    const shared = count(SHARED_SESSIONS);
    add('shared_sessions', {
      direction: 'missing',
      events: shared,
      text: `The network gave ${shown(shared)} responses the session of another shopper, order or place. The events of these count as one's.`,
    });
    const events = sumDifferences(wrong.filter(({ verdict }) => verdict === 'late'));
    add('data_through', {
      direction: 'missing',
      events,
      text: `${INCOMPLETE}: ${shown(events)} of the missing counts are later than its data.`,
    });
  }
  if (extra > 0) {
    const lost = count('answers_lost');
    add('answers_lost', {
      direction: 'extra',
      events: lost,
      text: `The responses to ${shown(lost)} events were lost or unclear, or were redirects or server errors. The network may have counted them, and twice those that were sent again.`,
    });
    const again = count('possible_duplicates');
    add('possible_duplicates', {
      direction: 'extra',
      events: again,
      text: `${shown(again)} events were sent again without an id that the network could recognize, because their response was lost or a relay was killed. The network may have counted them twice.`,
    });
  }
  found.sort((one, other) => (other.events ?? 0) - (one.events ?? 0));
  const countsTwice = (): void => {
    const text = 'The network counts events more than once. Send it the hours and numbers.';
    add('network', { direction: 'extra', events: null, text });
  };
  const hasMoreLoads = wrong.some(({ metric, difference }) => metric === 'widget_loads' && difference > 0);
  const nameless = countRows(ours, (row) => row.view === null && isAudited(row));
  if (wrong.some(({ group }) => Object.keys(group).length > 0))
    add('no_placement', {
      direction: 'extra',
      events: nameless,
      text: `For ${shown(nameless)} events the relay does not know the placement: their sessions were opened elsewhere, or before the ledger began. Compare without --by.`,
    });
  // What is late explains itself.
  const differing = wrong.filter(({ verdict }) => verdict !== 'late');
  if (differing.some(({ difference }) => difference < 0))
    add('network', {
      direction: 'missing',
      events: null,
      text: 'The network accepted these events and does not count them. Send it the hours and numbers.',
    });
  if (extra > 0) {
    if (problems.length > 0)
      add('ledger_damaged', {
        direction: 'extra',
        events: null,
        text: 'Parts of the ledger could not be read, and their counts are missing; see below.',
      });
    // What comes past the relay has its own sessions, each with a load.
    if (missing === 0 && !hasMoreLoads) countsTwice();
    const other_relay =
      'Another relay uses the same key, with another ledger or none. Let all of them share one Redis.';
    add('other_relay', { direction: 'extra', events: null, text: other_relay });
    const other_senders =
      'Something else sends events with the same key: a server, an app, or a relay that is not offerlet.';
    add('other_senders', { direction: 'extra', events: null, text: other_senders });
  }
  if (differing.some(({ metric }) => metric === 'impressions'))
    add('definition', {
      direction: missing > 0 ? 'missing' : 'extra',
      events: null,
      text: 'Network and relay define impressions differently; see the note on the metric.',
    });
  if (extra > 0 && missing === 0 && hasMoreLoads) countsTwice();
  const [answered, loads] = [
    count('offers_answered'),
    count('WIDGET_LOAD') - count('repeated:WIDGET_LOAD') + count(SHARED_SESSIONS),
  ];
  const unloaded = Math.max(0, answered - loads);
  const left = `The relay answered ${shown(answered)} request${answered === 1 ? '' : 's'} with offers, and ${shown(unloaded)} of them led to no load: their shoppers left before, or their events still wait.`;
  add('unloaded', { direction: 'neither', events: unloaded, text: left });
  for (const [cause, what] of [
    ['refused', 'In neither count: events that were refused for good'],
    [
      'deferred',
      'In neither count, unless a later attempt was accepted, or the network stored them all the same: events that were refused or failed for now',
    ],
  ] as const) {
    const rows = ours.filter(({ name }) => name.startsWith(`${cause}:`));
    const names = [...new Set(rows.map(({ name }) => name))];
    const codes = names.map((name) => `${name.slice(cause.length + 1)} ${shown(count(name))}`);
    const text = `${what}, by code: ${codes.join(', ')}.`;
    add(cause, { direction: 'neither', events: countRows(rows, () => true), text });
  }
  const expired = count('expired');
  const old = `In neither count: ${shown(expired)} events arrived more than 30 days late.`;
  add('expired', { direction: 'neither', events: expired, text: old });
  return found;
}

const shown = (events: number): string => events.toLocaleString('en');

function sumDifferences(rows: readonly AuditRow[]): number {
  return rows.reduce((sum, { difference }) => sum + Math.abs(difference), 0);
}

function countRows(rows: readonly LedgerRow[], isCounted: (row: LedgerRow) => boolean): number {
  return rows.reduce((sum, row) => sum + (isCounted(row) ? row.count : 0), 0);
}

function isAudited({ name }: LedgerRow): boolean {
  return AUDITED_METRICS.some((metric) => AUDITED[metric] === name);
}
