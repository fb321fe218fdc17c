import { randomUUID } from 'node:crypto';
import { own } from '../wire/json.ts';
import type { Miscount } from '../wire/audit/explainDifference.ts';
import type { Queries } from './database/database.ts';
import { addDays, dateOf, HOUR_MS, type DateRange } from '../wire/utcDates.ts';

/** The settings of PUT /sandbox/settings; one that is not set is absent. */
export interface ReportingSettings {
  /** Enabled metrics of either report; absent: all. */
  readonly enabled_metrics?: readonly string[];
  /** The first date with history, `YYYY-MM-DD`. */
  readonly history_from?: string;
  /** Dates with hourly history, including today. */
  readonly hourly_dates?: number;
  readonly report_row_limit?: number;
  readonly source_row_limit?: number;
  /** Start of the latest hour with data, ISO 8601. */
  readonly data_through?: string;
  readonly shares?: Shares;
  /** How the network counts wrongly. */
  readonly miscount?: Miscount;
  /** Start of an hour whose events are accepted and never counted, ISO 8601. */
  readonly lost_hour?: string;
}

/** Parts of the billable spend, as decimals. */
export interface Shares {
  readonly publisher: number;
  readonly channel: number;
}

/** The stored value of a setting. */
export async function readSetting(db: Queries, name: string): Promise<unknown> {
  const [row] = await db.query('SELECT value FROM settings WHERE name = $1', [name]);
  return own(row, 'value');
}

/** Stores a setting; `undefined` deletes it. */
export async function writeSetting(db: Queries, name: string, value: unknown): Promise<void> {
  if (value === undefined) await db.query('DELETE FROM settings WHERE name = $1', [name]);
  else
    await db.query('INSERT INTO settings VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value', [
      name,
      JSON.stringify(value),
    ]);
}

/**
 * What processes cache, each with a version that changes with it. catalogue: offers and advertisers; budgets: which offers
 * have spent theirs; publishers: which are approved, and what they exclude.
 */
const VERSIONED = ['catalogue', 'budgets', 'publishers'] as const;
type VersionedName = (typeof VERSIONED)[number];
export type Versions = Readonly<Record<VersionedName, string>>;

/** The settings that hold the versions. */
export const VERSION_NAMES: readonly string[] = VERSIONED.map(versionName);

/** The name of the setting that holds a version. */
function versionName(name: VersionedName): string {
  return `${name}_version`;
}

/** A statement's column with a version, for the statement that reads what has it. */
export function versionColumn(name: VersionedName): string {
  return `(SELECT value #>> '{}' FROM settings WHERE name = '${versionName(name)}') AS version`;
}

/** The version of what never changed. */
export const FIRST_VERSION = '00000000-0000-0000-0000-000000000000';

/** Reads the versions from settings by name. */
export function readVersions(settings: unknown): Versions {
  const versionOf = (name: VersionedName): string => {
    const version = own(settings, versionName(name));
    return typeof version === 'string' ? version : FIRST_VERSION;
  };
  return { catalogue: versionOf('catalogue'), budgets: versionOf('budgets'), publishers: versionOf('publishers') };
}

/**
 * Makes every process read something again. Call it in the transaction of the change, after its other statements: the row is
 * locked until it ends. A new version is never an old one again, even after a reset.
 */
export async function markChanged(db: Queries, ...names: readonly VersionedName[]): Promise<void> {
  for (const name of names) await writeSetting(db, versionName(name), randomUUID());
}

/** Marks everything as changed. */
export async function markAllChanged(db: Queries): Promise<void> {
  await markChanged(db, ...VERSIONED);
}

/** What decides how an accepted event is miscounted. */
interface Accepted {
  readonly event: { readonly event_name: string; readonly event_id?: string };
  readonly session: { readonly session_id: string };
  readonly at: number;
}

/** One of so many accepted events is dropped. */
const DROPPED_ONE_OF = 100;

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
