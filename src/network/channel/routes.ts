import * as v from 'valibot';
import { readUuid } from '../../wire/json.ts';
import { CHANNEL_PATHS, type Category, type ChannelDetails } from '../../wire/channel.ts';
import type { NetworkRoute } from '../context.ts';
import { addPublishers } from './addPublishers.ts';
import {
  getCategories,
  channelRoute,
  type ChannelCall,
  IDS_REQUIRED,
  readBody,
  subcategoryIds,
  publisherNotFound,
} from './channelRoute.ts';
import { listPublishers, getPublisher, removePublisher } from './publishers.ts';
import { markChanged } from '../createProcessCache.ts';
import { type Database } from '../database/database.ts';

/** The eight endpoints of the Channel API. */
export const channelRoutes: readonly NetworkRoute[] = [
  channelRoute('GET', CHANNEL_PATHS.categories, getCategories),
  channelRoute('PUT', CHANNEL_PATHS.channelExclusions, putChannelExclusions),
  channelRoute('PUT', '/adnet/publishers/{id}/exclusions/', putPublisherExclusions),
  channelRoute('GET', CHANNEL_PATHS.channelDetails, getChannelDetails),
  channelRoute('GET', CHANNEL_PATHS.publishers, listPublishers),
  channelRoute('GET', '/adnet/publishers/details/{id}/', getPublisher),
  channelRoute('POST', CHANNEL_PATHS.add, addPublishers),
  channelRoute('DELETE', '/adnet/publishers/{id}/remove/', removePublisher),
];

/** GET channel details: its name and its exclusions for all publishers. */
async function getChannelDetails({ context, channelId }: ChannelCall): Promise<Response> {
  const [row] = await context.db.query<{ name: string }>('SELECT name FROM channels WHERE channel_id = $1', [
    channelId,
  ]);
  const excluded = await context.db.query<{ subcategory_id: string }>(
    'SELECT subcategory_id FROM channel_exclusions WHERE channel_id = $1 ORDER BY position',
    [channelId],
  );
  const channel: ChannelDetails = {
    name: row?.name ?? '',
    exclusions: { subcategories: { channel: excluded.map(({ subcategory_id }) => subcategory_id) } },
  };
  return Response.json({ channel });
}

/** PUT channel exclusions: replaces the whole list. */
async function putChannelExclusions({ request, context, channelId }: ChannelCall): Promise<Response> {
  const body = await readBody(request, context.db, exclusionsBody);
  if (body instanceof Response) return body;
  await replace(context.db, channelId, body.subcategory_ids);
  return Response.json({ ok: true });
}

/** The body of either PUT. */
export function exclusionsBody(
  categories: readonly Category[],
): v.GenericSchema<unknown, { subcategory_ids: string[] }> {
  const about = 'Ids of subcategories. The list replaces the current one; [] clears it.';
  return v.object({ subcategory_ids: v.pipe(subcategoryIds(categories), v.description(about)) }, IDS_REQUIRED);
}

async function replace(db: Database, channelId: string, ids: readonly string[]): Promise<void> {
  await db.transaction(async (transaction) => {
    // Locks the channel, so that of two concurrent calls one list replaces the other as a whole.
    await transaction.query('SELECT channel_id FROM channels WHERE channel_id = $1 FOR UPDATE', [channelId]);
    await transaction.query('DELETE FROM channel_exclusions WHERE channel_id = $1', [channelId]);
    await transaction.query(
      `INSERT INTO channel_exclusions (channel_id, subcategory_id, position)
       SELECT $1::uuid, id::uuid, position FROM jsonb_array_elements_text($2::jsonb) WITH ORDINALITY AS list (id, position)`,
      [channelId, JSON.stringify(ids)],
    );
    await markChanged(transaction, 'publishers');
  });
}

/** PUT publisher exclusions: replaces the channel's exclusions for this publisher. A 404 comes before a 400. */
async function putPublisherExclusions({ request, context, params, channelId }: ChannelCall): Promise<Response> {
  const id = readUuid(params['id']);
  const owned = 'channel_id = $1 AND publisher_remote_id = $2 AND removed_at IS NULL';
  const [found] =
    id === undefined ? [] : await context.db.query(`SELECT 1 AS found FROM publishers WHERE ${owned}`, [channelId, id]);
  if (!found) return publisherNotFound();
  const body = await readBody(request, context.db, exclusionsBody);
  if (body instanceof Response) return body;
  const now = await context.now();
  const isChanged = await context.db.transaction(async (db) => {
    const changed = await db.query(
      `UPDATE publishers SET publisher_exclusions = $3::jsonb, updated_at = $4 WHERE ${owned} RETURNING publisher_remote_id`,
      [channelId, id, JSON.stringify(body.subcategory_ids), now],
    );
    if (changed.length > 0) await markChanged(db, 'publishers');
    return changed.length > 0;
  });
  // It may have been removed since it was found.
  return isChanged ? Response.json({ ok: true }) : publisherNotFound();
}
