import { readUuid } from '../../wire/json.ts';
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import {
  type Publisher,
  type PublisherDetail,
  CHANNEL_PATHS,
  type PublisherList,
  type PublisherStatus,
} from '../../wire/channel.ts';
import type { Environment } from '../../wire/keys.ts';
import { LIST_PAGE_SIZE } from '../../wire/limits.ts';
import { givenParameters, once, wholeNumber } from '../queryFields.ts';
import { markChanged } from '../createProcessCache.ts';
import { type Queries, type Database } from '../database/database.ts';
import { revokeKeysOfPublisher, createKey } from '../storedKeys.ts';
import { brandKey, isPlainText } from './addPublishers.ts';
import { type ChannelCall, publisherNotFound, refuseIssues } from './channelRoute.ts';

/** A publisher or a request, as stored. */
interface PublisherRow {
  readonly pending_publisher_id: string;
  readonly publisher_remote_id: string | null;
  readonly brand_name: string;
  readonly primary_category: string;
  readonly status: string;
  readonly api_key: string | null;
  readonly created_at: Date;
  readonly external_exclusions: readonly string[];
  readonly publisher_exclusions: readonly string[];
}

/** Selects the `PublisherRow`s that were not removed. Append further conditions and an order. */
const SELECT_PUBLISHERS = `
  SELECT pending_publisher_id, publisher_remote_id, brand_name, coalesce(categories.name, '') AS primary_category, status, api_key,
    created_at, external_exclusions, publisher_exclusions
  FROM publishers LEFT JOIN categories ON categories.remote_id = primary_category_id
  WHERE removed_at IS NULL`;

/** Finds a publisher by its remote id or by the id of its request. */
async function findPublisher(db: Queries, channelId: string, id: string): Promise<PublisherRow | undefined> {
  const [row] = await db.query<PublisherRow>(
    `${SELECT_PUBLISHERS} AND channel_id = $1 AND (publisher_remote_id = $2 OR pending_publisher_id = $2)`,
    [channelId, id],
  );
  return row;
}

/** The publisher as an item of the list: an approved one has only its remote id, and the key is left out. */
function listItem(row: PublisherRow): Publisher {
  return {
    pending_publisher_id: row.publisher_remote_id === null ? row.pending_publisher_id : null,
    publisher_remote_id: row.publisher_remote_id,
    brand_name: row.brand_name,
    primary_category: row.primary_category,
    status: row.status,
    created_at: row.created_at.toISOString(),
    exclusions: { subcategories: { external: row.external_exclusions, publisher: row.publisher_exclusions } },
  } as Publisher;
}

/** The publisher's details, with its publishable key. */
function detail(row: PublisherRow): PublisherDetail {
  const { publisher_remote_id, ...rest } = listItem(row);
  const { pending_publisher_id, api_key } = row;
  return { ...rest, pending_publisher_id, publisher_remote_id, api_key } as PublisherDetail;
}

/** GET publishers list: publishers and requests, newest first. */
export async function listPublishers({ request, context, channelId, publisherId }: ChannelCall): Promise<Response> {
  const read = v.safeParse(LIST_QUERY, givenParameters(new URL(request.url)));
  if (!read.success) return refuseIssues(read.issues);
  const { page = 1, page_size = LIST_PAGE_SIZE.default, q = '' } = read.output;
  const words = brandKey(q).split(/\s+/u).filter(Boolean);
  const pageUrl = (at: number): string =>
    `${context.networkUrl}${CHANNEL_PATHS.publishers}?${new URLSearchParams({ page: `${at}`, page_size: `${page_size}`, ...(q && { q }) })}`;
  const matching = [channelId, JSON.stringify(words), publisherId];
  const [row] = await context.db.query<{ count: number }>(
    `SELECT count(*) AS count FROM publishers WHERE removed_at IS NULL ${MATCHING}`,
    matching,
  );
  const count = row?.count ?? 0;
  const start = (page - 1) * page_size;
  const isPast = start >= count;
  const rows = isPast
    ? []
    : await context.db.query<PublisherRow>(
        `${SELECT_PUBLISHERS} ${MATCHING} ORDER BY created_at DESC, pending_publisher_id DESC LIMIT $4 OFFSET $5`,
        [...matching, page_size, start],
      );
  const pages = Math.max(1, Math.ceil(count / page_size));
  const list: PublisherList = {
    count,
    next: page < pages ? pageUrl(page + 1) : null,
    previous: page > 1 ? pageUrl(Math.min(page - 1, pages)) : null,
    publishers: rows.map(listItem),
  };
  return Response.json(list);
}

/** Any word may match, anywhere in the name. `%` and `_` have no special meaning. */
const MATCHING = `AND channel_id = $1 AND ($3::uuid IS NULL OR publisher_remote_id = $3::uuid) AND ($2::jsonb = '[]'
  OR EXISTS (SELECT 1 FROM jsonb_array_elements_text($2::jsonb) AS word WHERE strpos(brand_key, word) > 0))`;

/** The parameters of the list. Unknown ones are ignored. */
export const LIST_QUERY = v.object({
  page: wholeNumber(' from 1', { min: 1, default: 1 }, 'The page number.'),
  page_size: wholeNumber(` from 1 to ${LIST_PAGE_SIZE.max}`, { min: 1, ...LIST_PAGE_SIZE }, 'Publishers per page.'),
  q: v.optional(
    v.pipe(
      once,
      // Tabs and newlines are control characters as well, but here they separate words like any other white space.
      v.check((text) => isPlainText(text.replaceAll(/\s/gu, ' ')), 'Expected text without control characters.'),
      v.string(),
      v.description('Words to look for in the name. One match is enough.'),
    ),
  ),
});

/** GET publisher details, by remote id or by the id of the request. */
export async function getPublisher({ context, params, channelId, publisherId }: ChannelCall): Promise<Response> {
  const id = readUuid(params['id']);
  const row = id === undefined ? undefined : await findPublisher(context.db, channelId, id);
  const isVisible = row && (publisherId === null || row.publisher_remote_id === publisherId);
  return isVisible ? Response.json({ publisher: detail(row) }) : publisherNotFound();
}

/** DELETE remove: removes an approved publisher and revokes its keys. Its history stays in reports (src/network/contract/rules.md#r55). */
export async function removePublisher({ context, params, channelId }: ChannelCall): Promise<Response> {
  const id = readUuid(params['id']);
  if (id === undefined) return publisherNotFound();
  const now = await context.now();
  const isRemoved = await context.db.transaction(async (db) => {
    const removed = await db.query(
      `UPDATE publishers SET removed_at = $3, updated_at = $3
       WHERE channel_id = $1 AND publisher_remote_id = $2 AND removed_at IS NULL RETURNING publisher_remote_id`,
      [channelId, id, now],
    );
    if (removed.length > 0) {
      await revokeKeysOfPublisher(db, id, now);
      await markChanged(db, 'publishers');
    }
    return removed.length > 0;
  });
  return isRemoved ? new Response(null, { status: 204 }) : publisherNotFound();
}

/** A decision of the network's staff about a request. */
interface StatusChange {
  readonly id: string;
  readonly status: PublisherStatus;
  readonly staff_notes?: string;
  readonly environment: Environment;
  readonly now: Date;
}

/** The publisher after the change, with keys at approval only. */
interface ChangedStatus {
  readonly publisher: PublisherDetail;
  readonly keys?: { readonly integration: string; readonly publisher_reporting: string };
}

/** Changes the status of a request. The first approval gives the publisher its id and keys. Returns `undefined` for an unknown id. */
export async function changeStatus(db: Database, change: StatusChange): Promise<ChangedStatus | undefined> {
  return db.transaction(async (transaction) => {
    const [row] = await transaction.query<{ channel_id: string; publisher_remote_id: string | null }>(
      `UPDATE publishers SET status = $2, staff_notes = coalesce($3, staff_notes), updated_at = $4
       WHERE removed_at IS NULL AND (pending_publisher_id = $1 OR publisher_remote_id = $1) RETURNING channel_id, publisher_remote_id`,
      [change.id, change.status, change.staff_notes ?? null, change.now],
    );
    if (!row) return undefined;
    let keys: ChangedStatus['keys'];
    if (change.status === 'APPROVED' && row.publisher_remote_id === null) {
      const publisherId = randomUUID();
      const make = async (kind: 'publishable' | 'integration' | 'publisher_reporting'): Promise<string> =>
        (
          await createKey(transaction, {
            kind,
            environment: change.environment,
            issuedIn: change.environment,
            channelId: row.channel_id,
            publisherId,
            now: change.now,
          })
        ).key;
      await transaction.query(
        'UPDATE publishers SET publisher_remote_id = $2, api_key = $3 WHERE pending_publisher_id = $1',
        [change.id, publisherId, await make('publishable')],
      );
      keys = { integration: await make('integration'), publisher_reporting: await make('publisher_reporting') };
    }
    await markChanged(transaction, 'publishers');
    const changed = await findPublisher(transaction, row.channel_id, change.id);
    return changed && { publisher: detail(changed), ...(keys ? { keys } : {}) };
  });
}
