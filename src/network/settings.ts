import { isObject, own } from '../wire/json.ts';
import type { NetworkSettings } from './context.ts';
import type { Queries } from './database/database.ts';

/** What every process of a network reads anew for each request, since another process may have changed it. */
export interface NetworkState {
  /** The clock that stands still, if it does. */
  readonly clock: Date | undefined;
  readonly settings: NetworkSettings;
  /** Whether a scripted failure waits for this path. */
  readonly isFaulty: boolean;
}

/** Reads the clock, the settings and whether a fault waits for the path. */
export async function readState(db: Queries, path: string): Promise<NetworkState> {
  const [row] = await db.query<{ clock: unknown; settings: unknown; is_faulty: boolean }>(
    `SELECT (SELECT value FROM settings WHERE name = 'clock') AS clock,
       (SELECT value FROM settings WHERE name = 'reporting') AS settings,
       EXISTS (SELECT 1 FROM faults WHERE route = $1 AND (remaining IS NULL OR remaining > 0)) AS is_faulty`,
    [path],
  );
  const clock = row?.clock;
  return {
    clock: typeof clock === 'string' ? new Date(clock) : undefined,
    settings: isObject(row?.settings) ? (row.settings as NetworkSettings) : {},
    isFaulty: row?.is_faulty === true,
  };
}

/** The value kept under a name, whatever it is. */
export async function readSetting(db: Queries, name: string): Promise<unknown> {
  const [row] = await db.query('SELECT value FROM settings WHERE name = $1', [name]);
  return own(row, 'value');
}

/** Keeps a value under a name; `undefined` forgets it. */
export async function writeSetting(db: Queries, name: string, value: unknown): Promise<void> {
  if (value === undefined) await db.query('DELETE FROM settings WHERE name = $1', [name]);
  else
    await db.query('INSERT INTO settings VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value', [
      name,
      JSON.stringify(value),
    ]);
}
