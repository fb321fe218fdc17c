import { addDays, dateOf, type DateRange } from '../wire/utcDates.ts';
import type { ReportingSettings } from './settings.ts';

/** What decides how an accepted event is miscounted. */
interface Accepted {
  readonly event: { readonly event_name: string; readonly event_id?: string };
  readonly session: { readonly session_id: string };
  readonly at: number;
}

/** Ways in which a network counts wrongly without a word, for PUT /sandbox/settings. `offerlet audit` finds each. */
export const MISCOUNTS = ['drops_events', 'counts_clicks_twice', 'reports_late'] as const;

/** One of so many accepted events is dropped. */
const DROPPED_ONE_OF = 100;
const HOUR_MS = 3_600_000;

/** Returns the events that the network stores of those that it accepts: all of them, unless it is told to miscount. */
export function miscountEvents<Event extends Accepted>(
  events: readonly Event[],
  { miscount, lost_hour }: ReportingSettings,
): readonly Event[] {
  if (miscount === undefined && lost_hour === undefined) return events;
  const lost = lost_hour === undefined ? Number.NaN : hourOf(Date.parse(lost_hour));
  return events
    .filter((accepted) => hourOf(accepted.at) !== lost)
    .filter((accepted) => miscount !== 'drops_events' || hashOf(accepted) % DROPPED_ONE_OF !== 0)
    .flatMap((accepted) =>
      miscount === 'counts_clicks_twice' && accepted.event.event_name === 'BRAND_CLICK'
        ? [accepted, { ...accepted, event: { ...accepted.event, event_id: `${accepted.event.event_id ?? ''} again` } }]
        : [accepted],
    );
}

/** The last date that reports contain: with `reports_late`, the one before yesterday. */
export function reportedUntil({ miscount }: ReportingSettings, now: Date): string | undefined {
  return miscount === 'reports_late' ? addDays(dateOf(now.getTime()), -2) : undefined;
}

/** A range of dates without those that are not reported yet; it may be empty. */
export function clipDates({ from, to }: DateRange, until: string | undefined): DateRange {
  return { from, to: until !== undefined && until < to ? until : to };
}

function hourOf(time: number): number {
  return Math.floor(time / HOUR_MS);
}

/** The same for each try of an event (FNV-1a, mixed at the end as in MurmurHash3). */
function hashOf({ event, session }: Accepted): number {
  let hash = 0x81_1c_9d_c5;
  for (const unit of `${session.session_id} ${event.event_id ?? ''}`)
    hash = Math.imul(hash ^ unit.charCodeAt(0), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
