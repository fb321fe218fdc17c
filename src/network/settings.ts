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

/** The time at which the clock was stopped. */
export async function readClock(db: Queries): Promise<Date | undefined> {
  const stopped = await readSetting(db, 'clock');
  return typeof stopped === 'string' ? new Date(stopped) : undefined;
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
