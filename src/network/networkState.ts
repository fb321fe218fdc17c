import { isObject, own } from '../wire/json.ts';
import type { KeyRow } from './context.ts';
import { readVersions, VERSION_NAMES, type Versions } from './createProcessCache.ts';
import type { Queries } from './database/database.ts';
import type { ReportingSettings } from './settings.ts';

/** What each request reads again, because another process may have changed it. */
export interface NetworkState {
  /** The stopped clock, if it is stopped. */
  readonly clock: Date | undefined;
  readonly settings: ReportingSettings;
  readonly versions: Versions;
  /** Whether a scripted fault waits for this path. */
  readonly isFaulty: boolean;
  /** The key that the request carries, if it exists. */
  readonly key: KeyRow | undefined;
}

/** The settings that every request reads. */
const READ_SETTINGS = ['clock', 'reporting', ...VERSION_NAMES].map((name) => `'${name}'`).join(', ');

/**
 * Reads what every request needs, in one statement: the clock, the settings, the versions of what is cached, whether a fault
 * waits for the path, and the key with this hash.
 */
export async function readNetworkState(db: Queries, path: string, keyHash: string | undefined): Promise<NetworkState> {
  const [row] = await db.hot<{ settings: unknown; is_faulty: boolean; key: KeyJson | null }>(
    `SELECT (SELECT json_object_agg(name, value) FROM settings WHERE name IN (${READ_SETTINGS})) AS settings,
       EXISTS (SELECT 1 FROM faults WHERE route = $1 AND (remaining IS NULL OR remaining > 0)) AS is_faulty,
       (SELECT json_build_object('id', id, 'key_hash', key_hash, 'kind', kind, 'environment', environment, 'issued_in', issued_in,
          'channel_id', channel_id, 'publisher_id', publisher_id, 'expires_at', expires_at, 'revoked_at', revoked_at,
          'publisher_removed', EXISTS (SELECT 1 FROM publishers WHERE publisher_remote_id = api_keys.publisher_id AND removed_at IS NOT NULL))
        FROM api_keys WHERE key_hash = $2) AS key`,
    [path, keyHash ?? null],
  );
  const settings = row?.settings;
  const clock = own(settings, 'clock');
  const reporting = own(settings, 'reporting');
  return {
    clock: typeof clock === 'string' ? new Date(clock) : undefined,
    settings: isObject(reporting) ? (reporting as ReportingSettings) : {},
    versions: readVersions(settings),
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
