import type { ChannelDetails } from '../../wire/channel.ts';
import type { ChannelCall } from './channelRoute.ts';

/** GET channel details: its name and its exclusions for all publishers. */
export async function getChannelDetails({ context, channelId }: ChannelCall): Promise<Response> {
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
