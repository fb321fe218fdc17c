import { randomUUID } from 'node:crypto';
import { own } from '../wire/json.ts';
import type { Queries } from './database/database.ts';

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
  readonly miscount?: 'drops_events' | 'counts_clicks_twice' | 'reports_late';
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
