import { AUDITED_METRICS } from '../../wire/audit/compareCounts.ts';
import { makeAudit, type Audit, type AuditReport, type Counted } from '../../wire/audit/makeAudit.ts';
import { oneOf, own } from '../../wire/json.ts';
import type { ReportRow } from '../../wire/reporting.ts';
import { addDays, dateOf, type DateRange } from '../../wire/utcDates.ts';
import { ReportingUnavailableError } from '../clients/errors.ts';
import type { ReportingClient } from '../clients/ReportingClient.ts';
import { period } from '../reports/period.ts';
import { AUDIT_PERIODS, type AuditPeriod, type ConsoleAudit, type Miscounting } from './protocol.ts';

/** What the page *Audit* needs. */
export interface ConsoleAuditOptions {
  /** The relay's ledger: of `openDedupeFile`, of `openDedupeRedis`, or one of your own. */
  readonly ledger: { read(dates: DateRange): Promise<Counted> };
  /** The publisher's reporting key. By default, the console's own one, if that is a publisher's. It stays in this process. */
  readonly reportingKey?: string | undefined;
  /** A network that counts at once, and wrongly on request. Hours that are not over are compared as well. */
  readonly sandbox?: AuditSandbox | undefined;
}

/** What only a sandbox can do. */
export interface AuditSandbox {
  /** The network's time, which a test may have stopped. */
  now(): Promise<Date>;
  /** Changes how the network counts wrongly. Without a change, returns what is set. */
  miscount(change: Partial<Miscounting>): Promise<Miscounting>;
  /** Lets shoppers see and accept offers through the relay. */
  shop(): Promise<void>;
}

/** By how much two counts may differ: the default of `offerlet audit`. */
const TOLERANCE = 0.005;
/** Dates that a ledger may have. */
const LEDGER_DAYS = 400;
/** Milliseconds after which a difference is looked at again. */
const SETTLE_MS = 300;
/** Looks at a difference that changes each time. */
const LOOKS = 3;

/** Returns a function that compares the ledger with the network's report for one of the page's periods. */
export function createAuditReader(
  { ledger, sandbox }: ConsoleAuditOptions,
  reporting: ReportingClient<'publisher'>,
): (name: AuditPeriod, signal: AbortSignal) => Promise<ConsoleAudit> {
  let since: string | undefined;

  /** The ledger's first hour. What the network counted before that has no counterpart. */
  async function firstHour(today: string): Promise<string | undefined> {
    const { rows } = await ledger.read({ from: addDays(today, -LEDGER_DAYS), to: today });
    return rows.reduce<string | undefined>((first, { hour }) => (first && first < hour ? first : hour), undefined);
  }

  async function compare(dates: DateRange, { now, signal }: { now: number; signal: AbortSignal }): Promise<Audit> {
    return makeAudit({
      ledger: await ledger.read(dates),
      readReport: (query) => readReport(reporting, query, signal),
      dates,
      grain: 'hour',
      by: [],
      tolerance: TOLERANCE,
      now: sandbox ? Infinity : now,
      since,
    });
  }

  /**
   * Events on their way are in one count and not in the other yet. While shoppers shop, a difference is believed when it is
   * the same a moment later.
   */
  async function compareSettled(dates: DateRange, at: { now: number; signal: AbortSignal }): Promise<Audit> {
    let audit = await compare(dates, at);
    if (!sandbox) return audit;
    for (let look = 1; !audit.within && look < LOOKS; look++) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const next = await compare(dates, at);
      const isSame = JSON.stringify(next.rows) === JSON.stringify(audit.rows);
      audit = next;
      if (isSame) break;
    }
    return audit;
  }

  return async (name, signal) => {
    const now = (await sandbox?.now())?.getTime() ?? Date.now();
    since ??= await firstHour(dateOf(now));
    const audit = since === undefined ? undefined : await compareSettled(period(name, { now }), { now, signal });
    return { audit: audit ?? null, since: since ?? null, now: new Date(now).toISOString() };
  };
}

/** Reads all pages of a publisher's report. A network that has never had data has a report without rows. */
async function readReport(
  reporting: ReportingClient<'publisher'>,
  { dates, grain }: { readonly dates: DateRange; readonly grain: 'hour' | 'day' },
  signal: AbortSignal,
): Promise<AuditReport> {
  const rows: ReportRow[] = [];
  let dataThrough: string | null = null;
  try {
    const query = { ...dates, time_grain: grain, metrics: AUDITED_METRICS };
    for await (const page of reporting.pages(query, { signal })) {
      rows.push(...page.data);
      dataThrough = page.meta.data_through;
    }
  } catch (error) {
    if (!(error instanceof ReportingUnavailableError)) throw error;
  }
  return { rows, dataThrough };
}

/** The period that a page asks for. Throws a TypeError when there is no such period. */
export function readAuditPeriod(text: string | null): AuditPeriod {
  const found = oneOf(AUDIT_PERIODS, text);
  if (!found) throw new TypeError(`period must be one of ${AUDIT_PERIODS.join(', ')}.`);
  return found;
}

const MISCOUNTS = ['drops_events', 'counts_clicks_twice', 'reports_late'] as const;

/** Reads a change of the sandbox's miscounting. Throws a TypeError for anything else. */
export function readMiscounting(body: unknown): Partial<Miscounting> {
  const [miscount, hour] = [own(body, 'miscount'), own(body, 'lost_hour')];
  const known = oneOf(MISCOUNTS, miscount) ?? null;
  if (miscount !== undefined && miscount !== known)
    throw new TypeError(`miscount must be one of ${MISCOUNTS.join(', ')}, or null.`);
  if (hour !== undefined && hour !== null && typeof hour !== 'string')
    throw new TypeError('lost_hour must be a time, or null.');
  return { ...(miscount !== undefined && { miscount: known }), ...(hour !== undefined && { lost_hour: hour }) };
}
