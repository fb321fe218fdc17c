import { MISCOUNTS } from '../../wire/audit/explainDifference.ts';
import { makeAudit, type Audit } from '../../wire/audit/makeAudit.ts';
import type { AuditPageQuery } from '../../wire/audit/readAuditReport.ts';
import type { ReadableLedger } from '../../wire/audit/readCounted.ts';
import { oneOf, own } from '../../wire/json.ts';
import type { Report } from '../../wire/reporting.ts';
import type { DateRange } from '../../wire/utcDates.ts';
import { ReportingUnavailableError } from '../clients/errors.ts';
import type { ReportingClient } from '../clients/ReportingClient.ts';
import { period } from '../reports/period.ts';
import { AUDIT_PERIODS, type AuditPeriod, type ConsoleAudit, type Miscounting } from './protocol.ts';

/** What the page *Audit* needs. */
export interface ConsoleAuditOptions {
  /** The relay's ledger: of `openDedupeFile`, of `openDedupeRedis`, or a custom one. */
  readonly ledger: ReadableLedger;
  /** The publisher's reporting key. By default, the console's own one, if that is a publisher's. It stays in this process. */
  readonly reportingKey?: string | undefined;
  /** A network that counts at once, and wrongly on request. Every difference counts, of hours that are not over as well. */
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
/** Milliseconds after which a difference is looked at again. */
const SETTLE_MS = 300;
/** Looks at a difference that changes each time. */
const LOOKS = 3;

/** Returns a function that compares the ledger with the network's report for one of the page's periods. */
export function createAuditReader(
  { ledger, sandbox }: ConsoleAuditOptions,
  reporting: ReportingClient<'publisher'>,
): (name: AuditPeriod, signal: AbortSignal) => Promise<ConsoleAudit> {
  async function compare(dates: DateRange, { now, signal }: At): Promise<Audit | undefined> {
    return makeAudit({
      ledger,
      readPage: (query) => readPage(reporting, query, signal),
      dates,
      grain: 'hour',
      by: [],
      tolerance: sandbox ? 0 : TOLERANCE,
      now,
      partial: sandbox !== undefined,
    });
  }

  /**
   * Events on their way are in one count and not in the other yet. While shoppers shop, a difference is believed when it is
   * the same a moment later.
   */
  async function compareSettled(dates: DateRange, at: At): Promise<Audit | undefined> {
    let audit = await compare(dates, at);
    if (!sandbox) return audit;
    for (let look = 1; audit && !audit.within && look < LOOKS; look++) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      const next = await compare(dates, at);
      const isSame = JSON.stringify(next?.rows) === JSON.stringify(audit.rows);
      audit = next;
      if (isSame) break;
    }
    return audit;
  }

  return async (name, signal) => {
    const now = (await sandbox?.now())?.getTime() ?? Date.now();
    const audit = await compareSettled(period(name, { now }), { now, signal });
    return { audit: audit ?? null, now: new Date(now).toISOString() };
  };
}

interface At {
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Reads a page of a publisher's report. A network that has never had data has none. */
async function readPage(
  reporting: ReportingClient<'publisher'>,
  { dates, grain, metrics, offset, limit }: AuditPageQuery,
  signal: AbortSignal,
): Promise<Report | undefined> {
  const query = { ...dates, time_grain: grain, metrics, offset, limit };
  try {
    return await reporting.report(query, { signal });
  } catch (error) {
    if (error instanceof ReportingUnavailableError) return undefined;
    throw error;
  }
}

/** Returns the period that a page requests. Throws a TypeError when there is no such period. */
export function readAuditPeriod(text: string | null): AuditPeriod {
  const found = oneOf(AUDIT_PERIODS, text);
  if (!found) throw new TypeError(`period must be one of ${AUDIT_PERIODS.join(', ')}.`);
  return found;
}

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
