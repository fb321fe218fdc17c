import { publisherNotFound } from '../badFields.ts';
import type { ChannelCall } from '../channelRoute.ts';
import { detail, findPublisher } from './publisherRow.ts';
import { readUuid } from '../../database/readUuid.ts';

/** GET publisher details, by remote id or by the id of the request. */
export async function getPublisher({ context, params, channelId }: ChannelCall): Promise<Response> {
  const id = readUuid(params['id']);
  const row = id === undefined ? undefined : await findPublisher(context.db, channelId, id);
  return row ? Response.json({ publisher: detail(row) }) : publisherNotFound();
}
