import type { NetworkContext } from '../context.ts';
import type { Queries } from '../database/database.ts';
import type { KeyRecord } from '../keys/keyRecord.ts';

/** A session as its events need it. */
export interface Session {
  readonly publisher_id: string;
  readonly session_id: string;
  readonly channel_id: string;
  readonly page_type: string;
  readonly widget_type: string;
  readonly widget_id: string;
  readonly is_sandbox: boolean;
  readonly has_email: boolean;
  readonly order_amount: string | null;
  readonly insertions: Readonly<Record<string, { readonly offer_id: string; readonly advertiser_id: string }>>;
  readonly created_at: Date;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The sessions of these ids that the key may speak for, by lower-case id. A session never changes once it is open. */
export async function readSessions(
  context: NetworkContext,
  key: KeyRecord,
  ids: Iterable<string>,
): Promise<Map<string, Session>> {
  const wanted = [...new Set([...ids].filter((id) => UUID.test(id)).map((id) => id.toLowerCase()))];
  const unknown: string[] = [];
  let reading: Promise<Map<string, Session>> | undefined;
  // Those that are not remembered say so first, all at once; then one statement reads them together.
  const found = wanted.map((id) =>
    context.recall.always(`session ${key.id} ${id}`, async () => {
      unknown.push(id);
      await Promise.resolve();
      reading ??= query(context.db, key, unknown);
      return (await reading).get(id);
    }),
  );
  const sessions = await Promise.all(found);
  return new Map(sessions.flatMap((session) => (session ? [[session.session_id, session] as const] : [])));
}

async function query(db: Queries, key: KeyRecord, ids: readonly string[]): Promise<Map<string, Session>> {
  const isWide = key.kind === 'partner_wide';
  // The values stand in the statement's own list: that is what lets it go to one shard and one index.
  const places = ids.map((_, index) => `$${index + 2}`).join(', ');
  const rows = await db.hot<Session>(
    `SELECT publisher_id, session_id, channel_id, page_type, widget_type, widget_id, is_sandbox, has_email, order_amount, insertions, created_at
     FROM sessions WHERE ${isWide ? 'channel_id' : 'publisher_id'} = $1 AND session_id IN (${places})`,
    [isWide ? key.channel_id : key.publisher_id, ...ids],
  );
  return new Map(rows.map((row) => [row.session_id, row]));
}
