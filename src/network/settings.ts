import { isObject, own } from '../wire/json.ts';
import type { NetworkSettings } from './context.ts';
import type { Queries } from './database/database.ts';
import type { KeyRow } from './keys/keyRecord.ts';

/** What every process of a network reads anew for each request, since another process may have changed it. */
export interface NetworkState {
  /** The clock that stands still, if it does. */
  readonly clock: Date | undefined;
  readonly settings: NetworkSettings;
  /** Whether a scripted failure waits for this path. */
  readonly isFaulty: boolean;
  /** The key that the request carries, if there is such a key. */
  readonly key: KeyRow | undefined;
}

/** Reads the clock, the settings, whether a fault waits for the path, and the key of this hash: what every request needs, in one statement. */
export async function readState(db: Queries, path: string, keyHash: string | undefined): Promise<NetworkState> {
  const [row] = await db.hot<{ clock: unknown; settings: unknown; is_faulty: boolean; key: KeyJson | null }>(
    `SELECT (SELECT value FROM settings WHERE name = 'clock') AS clock,
       (SELECT value FROM settings WHERE name = 'reporting') AS settings,
       EXISTS (SELECT 1 FROM faults WHERE route = $1 AND (remaining IS NULL OR remaining > 0)) AS is_faulty,
       (SELECT json_build_object('id', id, 'key_hash', key_hash, 'kind', kind, 'environment', environment, 'issued_in', issued_in, 'channel_id', channel_id,
          'publisher_id', publisher_id, 'expires_at', expires_at, 'revoked_at', revoked_at,
          'publisher_removed', EXISTS (SELECT 1 FROM publishers WHERE publisher_remote_id = api_keys.publisher_id AND removed_at IS NOT NULL))
        FROM api_keys WHERE key_hash = $2) AS key`,
    [path, keyHash ?? null],
  );
  const clock = row?.clock;
  return {
    clock: typeof clock === 'string' ? new Date(clock) : undefined,
    settings: isObject(row?.settings) ? (row.settings as NetworkSettings) : {},
    isFaulty: row?.is_faulty === true,
    key: row?.key
      ? { ...row.key, expires_at: time(row.key.expires_at), revoked_at: time(row.key.revoked_at) }
      : undefined,
  };
}

/** A key's row as JSON tells it: times as text. */
type KeyJson = Omit<KeyRow, 'expires_at' | 'revoked_at'> & Record<'expires_at' | 'revoked_at', string | null>;

function time(text: string | null): Date | null {
  return text === null ? null : new Date(text);
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
