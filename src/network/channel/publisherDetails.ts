import { publisherNotFound } from './answers.ts';
import type { ChannelCall } from './guard.ts';
import { detail, findPublisher } from './publisherRow.ts';
import { readUuid } from './uuid.ts';

/** GET publisher detail, by remote id or by the id of the request (C16). */
export async function getPublisher({ context, params, channelId }: ChannelCall): Promise<Response> {
  const id = readUuid(params['id']);
  const row = id === undefined ? undefined : await findPublisher(context.db, channelId, id);
  return row ? Response.json({ publisher: detail(row) }) : publisherNotFound();
}
