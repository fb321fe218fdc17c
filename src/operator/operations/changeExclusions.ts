import type { ChannelClient } from '../clients/ChannelClient.ts';
import { ConflictError } from '../clients/errors.ts';

/** Whose exclusions: those of the whole channel, or what the channel excludes for one publisher. */
export interface ExclusionScope {
  readonly channel: string;
  readonly publisher: { readonly id: string; readonly name: string } | undefined;
  readonly subcategory_ids: readonly string[];
}

/** Reads what the channel excludes for all its publishers, or for one. */
export async function readExclusions(
  channel: ChannelClient,
  publisher: string | undefined,
  signal?: AbortSignal,
): Promise<ExclusionScope> {
  const [details, one] = await Promise.all([
    channel.details({ signal }),
    publisher === undefined ? undefined : channel.publisher(publisher, { signal }),
  ]);
  return {
    channel: details.name,
    publisher: one && publisher !== undefined ? { id: publisher, name: one.brand_name } : undefined,
    subcategory_ids: one ? one.exclusions.subcategories.publisher : details.exclusions.subcategories.channel,
  };
}

/** A list that replaces another. */
export interface ExclusionChange {
  readonly publisher: string | undefined;
  /** The list that was looked at. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/**
 * Replaces a list. The API has no other way, so somebody else's change would be lost: throws a `ConflictError` when the list is
 * no longer the one that was looked at.
 */
export async function replaceExclusions(channel: ChannelClient, change: ExclusionChange): Promise<void> {
  const { publisher, before, after, signal } = change;
  const now = await readExclusions(channel, publisher, signal);
  if (now.subcategory_ids.toSorted().join() !== before.toSorted().join())
    throw new ConflictError('Somebody has changed these exclusions meanwhile. Nothing was changed.', { status: 409 });
  await (publisher === undefined
    ? channel.setChannelExclusions(after)
    : channel.setPublisherExclusions(publisher, after));
}

/** Adds what a list has more than the one that was looked at. What somebody else has changed meanwhile stays. */
export async function addExclusions(channel: ChannelClient, change: ExclusionChange): Promise<void> {
  const more = change.after.filter((id) => !change.before.includes(id));
  await (change.publisher === undefined
    ? channel.addChannelExclusions(more)
    : channel.addPublisherExclusions(change.publisher, more));
}
