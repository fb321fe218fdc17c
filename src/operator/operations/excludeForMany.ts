import type { ChannelClient } from '../clients/ChannelClient.ts';
import { ApiError, NotFoundError, ValidationError } from '../clients/errors.ts';
import { forEach } from '../clients/forEach.ts';

/** An approved publisher, and what the channel excludes for it. */
export interface ExcludedPublisher {
  readonly id: string;
  readonly name: string;
  readonly subcategory_ids: readonly string[];
}

/** What to add to the list of one publisher, or to take from it. */
export interface PublisherChange {
  readonly publisher_id: string;
  readonly subcategory_ids: readonly string[];
}

/** What became of one publisher. `changed` names exactly what was added or taken away: what undoes it. */
export type ExclusionOutcome =
  | { readonly status: 'changed'; readonly subcategory_ids: readonly string[] }
  /** It was so already. */
  | { readonly status: 'unchanged' }
  /** The channel no longer has it. */
  | { readonly status: 'gone' }
  | { readonly status: 'failed' | 'not sent'; readonly reason: string };

/** Reads all approved publishers with what the channel excludes for them: the list has it, so no publisher is read by itself. */
export async function readExcludedPublishers(
  channel: ChannelClient,
  { signal, onProgress }: { readonly signal?: AbortSignal; onProgress?(read: number): void } = {},
): Promise<readonly ExcludedPublisher[]> {
  const publishers: ExcludedPublisher[] = [];
  for await (const { publisher_remote_id: id, brand_name: name, exclusions } of channel.allPublishers(
    { status: 'APPROVED' },
    { signal },
  )) {
    if (id !== null) publishers.push({ id, name, subcategory_ids: exclusions.subcategories.publisher });
    onProgress?.(publishers.length);
  }
  return publishers;
}

/** Returns what adding or removing changes in a list. */
export function differenceIn(
  before: readonly string[],
  { kind, subcategory_ids }: { readonly kind: 'add' | 'remove'; readonly subcategory_ids: readonly string[] },
): readonly string[] {
  return subcategory_ids.filter((id) => before.includes(id) === (kind === 'remove'));
}

/**
 * Adds subcategories to the lists of many publishers, or takes them away; each list is read just before it is replaced, so what
 * somebody else excludes stays. One that is refused does not stop the others. Rejects when the network refuses the key or stays
 * unreachable: `onOutcome` has been called for every publisher by then.
 */
export async function excludeForMany(
  channel: ChannelClient,
  {
    kind,
    changes,
    signal,
    onOutcome,
  }: {
    readonly kind: 'add' | 'remove';
    readonly changes: readonly PublisherChange[];
    readonly signal?: AbortSignal | undefined;
    /** Called with the index of each change, as soon as its outcome is known. */
    onOutcome(index: number, outcome: ExclusionOutcome): void;
  },
): Promise<void> {
  const left = new Set(changes.keys());
  const settle = (index: number, outcome: ExclusionOutcome): void => {
    left.delete(index);
    onOutcome(index, outcome);
  };
  try {
    await forEach([...changes.entries()], async ([index, { publisher_id, subcategory_ids }]) => {
      signal?.throwIfAborted();
      try {
        const { exclusions } = await channel.publisher(publisher_id, { signal });
        const before = exclusions.subcategories.publisher;
        const changed = differenceIn(before, { kind, subcategory_ids });
        if (changed.length === 0) return settle(index, { status: 'unchanged' });
        const after = kind === 'add' ? [...before, ...changed] : before.filter((id) => !changed.includes(id));
        // Not cancelled: whether it took effect would be unknown.
        await channel.setPublisherExclusions(publisher_id, after);
        settle(index, { status: 'changed', subcategory_ids: changed });
      } catch (error) {
        if (error instanceof NotFoundError) return settle(index, { status: 'gone' });
        if (error instanceof ApiError) settle(index, { status: 'failed', reason: error.reason ?? error.message });
        if (!(error instanceof ValidationError)) throw error;
      }
    });
  } catch (error) {
    for (const index of left) onOutcome(index, { status: 'not sent', reason: 'the change ended before' });
    throw error;
  }
}
