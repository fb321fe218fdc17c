import type { LedgerCounts, LedgerRow } from '../../relay.ts';
import { addDays, dateOf, HOUR_MS, type DateRange } from '../../wire/utcDates.ts';
import { AuditReportError } from './readAuditReport.ts';

/** A relay's ledger: of `openDedupeFile`, of `openDedupeRedis`, `readLedger`, or a custom one. */
export interface ReadableLedger {
  read(dates: DateRange): Promise<LedgerCounts>;
}

/** Dates for which a ledger stores its counts. */
const LEDGER_DAYS = 400;
/** Days that are read to see whether the ledger is older than the dates, if the day before does not say it. */
const LOOKS_BACK = [7, LEDGER_DAYS];

/**
 * Reads what a ledger counted, from the hour in which it is complete. A younger ledger has counts of earlier hours as well,
 * of events that arrived late, and what the network counted then has no counterpart. Resolves to `undefined` for a ledger
 * without any counts.
 */
export async function readCounted(
  ledger: ReadableLedger,
  { dates, now, hasFirstHour }: { dates: DateRange; now: number; hasFirstHour: boolean },
): Promise<(LedgerCounts & { readonly begins: string | null }) | undefined> {
  const before = addDays(dates.from, -1);
  const { rows: all, problems } = await ledger.read({ from: before, to: dates.to });
  const first = await firstHour(ledger, { all, dates, today: dateOf(now) });
  const [problem] = problems;
  if (first === undefined && problem !== undefined) throw new AuditReportError(`The ledger has no counts. ${problem}`);
  if (first === undefined) return undefined;
  // Within its first hour, the ledger began at some minute.
  const full = hasFirstHour ? first : hourText(Date.parse(first) + HOUR_MS);
  const start = `${dates.from}T00:00:00Z`;
  const begins = full > start ? full : null;
  return { rows: all.filter(({ hour }) => hour >= (begins ?? start)), problems, begins };
}

/** The first hour in which the relay was there, as far as it matters for the dates. */
async function firstHour(
  ledger: ReadableLedger,
  { all, dates, today }: { all: readonly LedgerRow[]; dates: DateRange; today: string },
): Promise<string | undefined> {
  const start = `${dates.from}T00:00:00Z`;
  let [requests, any] = [earliestHour(all.filter(isRequest)), earliestHour(all)];
  const look = async (range: DateRange): Promise<void> => {
    if (range.from > range.to) return;
    const { rows } = await ledger.read(range);
    requests = earlier(requests, earliestHour(rows.filter(isRequest)));
    any = earlier(any, earliestHour(rows));
  };
  const oldest = addDays(today, -LEDGER_DAYS);
  let to = addDays(dates.from, -2);
  for (const days of LOOKS_BACK) {
    if (requests !== undefined && requests < start) return requests;
    const from = addDays(to, 1 - days);
    await look({ from: from > oldest ? from : oldest, to });
    to = addDays(from, -1);
  }
  if (requests === undefined) await look({ from: addDays(dates.to, 1), to: today });
  // Events count in the hours in which they happened; requests for offers in those in which the relay was there.
  return requests ?? any;
}

function isRequest({ name }: LedgerRow): boolean {
  return name === 'offers_requested';
}

function earliestHour(rows: readonly LedgerRow[]): string | undefined {
  return rows.reduce<string | undefined>((first, { hour }) => earlier(first, hour), undefined);
}

function earlier(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one < other ? one : other;
}

function hourText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 13)}:00:00Z`;
}
