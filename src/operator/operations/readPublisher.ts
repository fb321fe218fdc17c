import type { PublisherDetail } from '../../wire/channel.ts';
import type { ChannelClient } from '../clients/ChannelClient.ts';

/** Reads a publisher or a request, and what the channel excludes for all. */
export async function readPublisher(
  client: ChannelClient,
  id: string,
  call: { readonly signal?: AbortSignal } = {},
): Promise<{ readonly publisher: PublisherDetail; readonly channel_exclusions: readonly string[] }> {
  const [publisher, channel] = await Promise.all([client.publisher(id, call), client.details(call)]);
  return { publisher, channel_exclusions: channel.exclusions.subcategories.channel };
}
