import { isObject } from '../../wire/json.ts';
import type { Queries } from '../database/database.ts';
import type { KeyRow } from '../keys/keyRecord.ts';
import type { ReportingSettings } from './settings.ts';

/** What each request reads again, because another process may have changed it. */
export interface NetworkState {
  /** The stopped clock, if it is stopped. */
  readonly clock: Date | undefined;
  readonly settings: ReportingSettings;
  /** Whether a scripted fault waits for this path. */
  readonly isFaulty: boolean;
  /** The key that the request carries, if it exists. */
  readonly key: KeyRow | undefined;
}

/** Reads what every request needs, in one statement: the clock, the settings, whether a fault waits for the path, and the key with this hash. */
export async function readState(db: Queries, path: string, keyHash: string | undefined): Promise<NetworkState> {
  const [row] = await db.hot<{ clock: unknown; settings: unknown; is_faulty: boolean; key: KeyJson | null }>(
    `SELECT (SELECT value FROM settings WHERE name = 'clock') AS clock,
       (SELECT value FROM settings WHERE name = 'reporting') AS settings,
       EXISTS (SELECT 1 FROM faults WHERE route = $1 AND (remaining IS NULL OR remaining > 0)) AS is_faulty,
       (SELECT json_build_object('id', id, 'key_hash', key_hash, 'kind', kind, 'environment', environment, 'issued_in', issued_in,
          'channel_id', channel_id, 'publisher_id', publisher_id, 'expires_at', expires_at, 'revoked_at', revoked_at,
          'publisher_removed', EXISTS (SELECT 1 FROM publishers WHERE publisher_remote_id = api_keys.publisher_id AND removed_at IS NOT NULL))
        FROM api_keys WHERE key_hash = $2) AS key`,
    [path, keyHash ?? null],
  );
  const clock = row?.clock;
  return {
    clock: typeof clock === 'string' ? new Date(clock) : undefined,
    settings: isObject(row?.settings) ? (row.settings as ReportingSettings) : {},
    isFaulty: row?.is_faulty === true,
    key: row?.key
      ? { ...row.key, expires_at: readTime(row.key.expires_at), revoked_at: readTime(row.key.revoked_at) }
      : undefined,
  };
}

/** A key's row as JSON: times as text. */
type KeyJson = Omit<KeyRow, 'expires_at' | 'revoked_at'> & Record<'expires_at' | 'revoked_at', string | null>;

function readTime(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
