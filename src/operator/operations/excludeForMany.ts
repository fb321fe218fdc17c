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
  { signal, onProgress }: { readonly signal?: AbortSignal | undefined; onProgress?(read: number): void } = {},
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

/** Times that a list is changed when somebody else replaces it meanwhile. */
const ATTEMPTS = 5;
/** From this number on, reading the list of all publishers takes fewer requests than reading each. */
const MANY = 12;

/**
 * Adds subcategories to the lists of many publishers, or takes them away. The API can only replace a list: each is read just
 * before, so what somebody else excludes stays, and all are read again in the end, because two who replace a list in the same
 * moment undo each other's change. One that is refused does not stop the others. Rejects when the network refuses the key or
 * stays unreachable: `onOutcome` has been called for every publisher by then.
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
    /** Called with the index of each change, as soon as its outcome is known, and again when that was undone meanwhile. */
    onOutcome(index: number, outcome: ExclusionOutcome): void;
  },
): Promise<void> {
  const outcomes = new Map<number, ExclusionOutcome>();
  const settle = (index: number, outcome: ExclusionOutcome): void => {
    outcomes.set(index, outcome);
    onOutcome(index, outcome);
  };
  const changeOne = async ([index, { publisher_id, subcategory_ids }]: [number, PublisherChange]): Promise<void> => {
    signal?.throwIfAborted();
    try {
      const { exclusions } = await channel.publisher(publisher_id, { signal });
      const before = exclusions.subcategories.publisher;
      const changed = differenceIn(before, { kind, subcategory_ids });
      const known = outcomes.get(index);
      if (changed.length === 0) return settle(index, known ?? { status: 'unchanged' });
      const after = kind === 'add' ? [...before, ...changed] : before.filter((id) => !changed.includes(id));
      // Not cancelled: whether it took effect would be unknown.
      await channel.setPublisherExclusions(publisher_id, after);
      const earlier = known?.status === 'changed' ? known.subcategory_ids : [];
      settle(index, { status: 'changed', subcategory_ids: [...new Set([...earlier, ...changed])] });
    } catch (error) {
      if (error instanceof NotFoundError) return settle(index, { status: 'gone' });
      if (error instanceof ApiError) settle(index, { status: 'failed', reason: error.reason ?? error.message });
      if (!(error instanceof ValidationError)) throw error;
    }
  };
  try {
    let left = [...changes.entries()];
    for (let attempt = 1; left.length > 0; attempt++) {
      await forEach(left, changeOne);
      const done = left.filter(([index]) => !['gone', 'failed'].includes(outcomes.get(index)?.status ?? ''));
      const lists = await readLists(channel, { ids: done.map(([, { publisher_id }]) => publisher_id), signal });
      left = done.filter(([, { publisher_id, subcategory_ids }]) => {
        const now = lists.get(publisher_id);
        return now && differenceIn(now, { kind, subcategory_ids }).length > 0;
      });
      if (attempt < ATTEMPTS) continue;
      for (const [index] of left) settle(index, { status: 'failed', reason: 'somebody else replaces this list' });
      return;
    }
  } catch (error) {
    for (const index of changes.keys())
      if (!outcomes.has(index)) onOutcome(index, { status: 'not sent', reason: 'the change ended before' });
    throw error;
  }
}

/** What the channel excludes for some publishers now, by id; without those that are gone. */
async function readLists(
  channel: ChannelClient,
  { ids, signal }: { readonly ids: readonly string[]; readonly signal: AbortSignal | undefined },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const lists = new Map<string, readonly string[]>();
  if (ids.length >= MANY) {
    for (const { id, subcategory_ids } of await readExcludedPublishers(channel, { signal }))
      lists.set(id, subcategory_ids);
    return lists;
  }
  await forEach(ids, async (id) => {
    try {
      lists.set(id, (await channel.publisher(id, { signal })).exclusions.subcategories.publisher);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  });
  return lists;
}
