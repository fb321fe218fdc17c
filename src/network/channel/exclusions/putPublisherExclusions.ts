import { badFields, publisherNotFound } from '../badFields.ts';
import { readCategories } from '../categories.ts';
import type { ChannelCall } from '../channelRoute.ts';
import { readObject } from '../readObject.ts';
import { readSubcategoryIds } from './readSubcategoryIds.ts';
import { readUuid } from '../../database/readUuid.ts';

/** PUT publisher exclusions: replaces the channel's exclusions for this publisher. A 404 comes before a 400. */
export async function putPublisherExclusions({ request, context, params, channelId }: ChannelCall): Promise<Response> {
  const id = readUuid(params['id']);
  const owned = 'channel_id = $1 AND publisher_remote_id = $2 AND removed_at IS NULL';
  const [found] =
    id === undefined ? [] : await context.db.query(`SELECT 1 AS found FROM publishers WHERE ${owned}`, [channelId, id]);
  if (!found) return publisherNotFound();
  const body = await readObject(request);
  if (!body.ok) return body.refusal;
  const list = readSubcategoryIds(body.value['subcategory_ids'], await readCategories(context.db));
  if (!list.ok) return badFields({ subcategory_ids: list.messages });
  const [changed] = await context.db.query(
    `UPDATE publishers SET publisher_exclusions = $3::jsonb, updated_at = $4 WHERE ${owned} RETURNING publisher_remote_id`,
    [channelId, id, JSON.stringify([...new Set(list.ids)]), await context.now()],
  );
  // It may have been removed since it was found.
  return changed ? Response.json({ ok: true }) : publisherNotFound();
}
