import type { Queries } from '../database/database.ts';
import { readUuid } from '../database/readUuid.ts';
import type { ProcessCache } from '../http/processCache.ts';
import type { KeyRecord } from '../keys/keyRecord.ts';
import type { Session } from './session.ts';

/** Returns those sessions that the key gives access to, by lower-case id. A key is of one environment, so the cache may hold them by key. */
export async function readSessions(
  context: { readonly db: Queries; readonly cache: ProcessCache },
  key: KeyRecord,
  ids: Iterable<string>,
): Promise<Map<string, Session>> {
  const wanted = new Set([...ids].map(readUuid).filter((id) => id !== undefined));
  const missing: string[] = [];
  let reading: Promise<Map<string, Session>> | undefined;
  // All ids that are not cached are collected first; then one statement reads them together.
  const found = [...wanted].map((id) =>
    context.cache.forever(`session ${key.id} ${id}`, async () => {
      missing.push(id);
      await Promise.resolve();
      reading ??= selectSessions(context.db, key, missing);
      return (await reading).get(id);
    }),
  );
  const sessions = await Promise.all(found);
  return new Map(sessions.flatMap((session) => (session ? [[session.session_id, session] as const] : [])));
}

async function selectSessions(db: Queries, key: KeyRecord, ids: readonly string[]): Promise<Map<string, Session>> {
  const isWide = key.kind === 'partner_wide';
  // The ids are parameters of their own: with a list in one parameter a distributed PostgreSQL would ask every shard.
  const places = ids.map((_, index) => `$${index + 3}`).join(', ');
  const rows = await db.hot<Session>(
    `SELECT publisher_id, session_id, channel_id, page_type, widget_type, widget_id, is_sandbox, has_email, order_amount, insertions, created_at
     FROM sessions WHERE ${isWide ? 'channel_id' : 'publisher_id'} = $1 AND session_id IN (${places}) AND environment = $2`,
    [isWide ? key.channel_id : key.publisher_id, key.environment, ...ids],
  );
  return new Map(rows.map((row) => [row.session_id, row]));
}
