import type { Database } from '../../database/database.ts';
import { badFields } from '../badFields.ts';
import { readCategories } from '../categories.ts';
import type { ChannelCall } from '../channelRoute.ts';
import { readObject } from '../readObject.ts';
import { readSubcategoryIds } from './readSubcategoryIds.ts';

/** PUT channel exclusions: replaces the whole list. */
export async function putChannelExclusions({ request, context, channelId }: ChannelCall): Promise<Response> {
  const body = await readObject(request);
  if (!body.ok) return body.refusal;
  const list = readSubcategoryIds(body.value['subcategory_ids'], await readCategories(context.db));
  if (!list.ok) return badFields({ subcategory_ids: list.messages });
  await replace(context.db, channelId, [...new Set(list.ids)]);
  return Response.json({ ok: true });
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
  });
}
