import { revokeKeysOfPublisher } from '../../keys/storedKeys.ts';
import { publisherNotFound } from '../badFields.ts';
import type { ChannelCall } from '../channelRoute.ts';
import { readUuid } from '../../database/readUuid.ts';

/** DELETE remove: removes an approved publisher and revokes its keys. Its history stays in reports (docs/rules.md#r55). */
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
    if (removed.length > 0) await revokeKeysOfPublisher(db, id, now);
    return removed.length > 0;
  });
  return isRemoved ? new Response(null, { status: 204 }) : publisherNotFound();
}
