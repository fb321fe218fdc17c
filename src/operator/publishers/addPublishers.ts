import type { AddResult, PublisherItem } from '../../wire/channel.ts';
import type { Problem } from '../../wire/json.ts';
import { ADD_MAX_ITEMS } from '../../wire/limits.ts';
import { pause } from '../../http/pause.ts';
import type { Failure } from '../failures.ts';

/** What became of one item. `unknown`: it was in flight when the responses ended; adding it again is safe. */
export type AddOutcome =
  | { readonly status: 'added'; readonly pending_publisher_id: string }
  | { readonly status: 'duplicate' | 'invalid' | 'not sent' | 'unknown'; readonly reason: string };

/** What `addPublishers` needs. */
export interface AddPublishersOptions {
  /** Sends a batch of up to 50, as `ChannelClient.add` does. */
  send(items: readonly PublisherItem[], options: { signal?: AbortSignal | undefined }): Promise<readonly AddResult[]>;
  /** What a rejection of `send` says; undefined when it is no failure of a call. */
  failureOf(error: unknown): Failure | undefined;
  readonly items: readonly PublisherItem[];
  /** Called with the index of each item, as soon as its outcome is known. */
  onOutcome(index: number, outcome: AddOutcome): void;
  readonly signal?: AbortSignal | undefined;
  readonly wait?: ((ms: number) => Promise<void>) | undefined;
}

/** Attempts of one batch whose fate is unknown. Sending it again is safe: the network reports what it has as a duplicate. */
const ATTEMPTS = 4;
const WAIT_MS = 1_000;

/**
 * Adds any number of publishers in batches of 50. A batch that is refused because of single items is sent again without
 * them. Rejects when the network refuses the key or stays unreachable; every item has its outcome by then.
 */
export async function addPublishers(options: AddPublishersOptions): Promise<void> {
  const { items, onOutcome } = options;
  const left = new Set(items.keys());
  const tracked: AddPublishersOptions = {
    ...options,
    onOutcome(index, outcome) {
      left.delete(index);
      onOutcome(index, outcome);
    },
  };
  try {
    for (let start = 0; start < items.length; start += ADD_MAX_ITEMS)
      await addBatch([...items.keys()].slice(start, start + ADD_MAX_ITEMS), tracked);
  } catch (error) {
    for (const index of left) onOutcome(index, { status: 'not sent', reason: 'the adding ended before' });
    throw error;
  }
}

async function addBatch(indexes: readonly number[], options: AddPublishersOptions): Promise<void> {
  if (indexes.length === 0) return;
  const { items, signal, wait = pause, onOutcome } = options;
  const batch = indexes.flatMap((index) => items[index] ?? []);
  let isUncertain = false;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      const results = await options.send(batch, { signal });
      for (const [place, index] of indexes.entries()) onOutcome(index, outcomeOf(results[place], attempt > 1));
      return;
    } catch (error) {
      const { kind, message, status = 0, fields = [], sent_nothing } = options.failureOf(error) ?? {};
      if (kind === 'invalid') return withoutRefused({ indexes, fields, message, options });
      // A request that was sent may have added its items although no response says so.
      const isLost = !sent_nothing && (kind === 'unreachable' || status >= 500);
      isUncertain ||= isLost || signal?.aborted === true;
      if (isLost && attempt < ATTEMPTS && !signal?.aborted) {
        await wait(WAIT_MS * 2 ** (attempt - 1));
        continue;
      }
      if (isUncertain)
        for (const index of indexes)
          onOutcome(index, { status: 'unknown', reason: 'it was sent, but the response is missing' });
      throw error;
    }
  }
}

function outcomeOf(result: AddResult | undefined, wasLost: boolean): AddOutcome {
  if (result?.status === 'created')
    return { status: 'added', pending_publisher_id: result.create_request.pending_publisher_id };
  const known = result?.error ?? 'requested already';
  return {
    status: 'duplicate',
    reason: wasLost ? 'requested already, perhaps by an attempt whose response was lost' : known,
  };
}

/** Reports the items that the network names (`items[3].domain: …`) as invalid, and sends the others. */
async function withoutRefused({
  indexes,
  fields,
  message: refusal = '',
  options,
}: {
  indexes: readonly number[];
  fields: readonly Problem[];
  message: string | undefined;
  options: AddPublishersOptions;
}): Promise<void> {
  const reasons = new Map<number, string>();
  for (const { path, message } of fields) {
    const [, place, reason] =
      /items\[(\d+)\]\.?(.*)/s.exec(message) ?? /items\[(\d+)\]\.?(.*)/s.exec(`${path}: ${message}`) ?? [];
    const index = place === undefined ? undefined : indexes[Number(place)];
    if (index !== undefined) reasons.set(index, reason?.replace(/^[:\s]+/, '') || message);
  }
  const [only] = indexes;
  if (reasons.size === 0 && indexes.length === 1 && only !== undefined) {
    const [field] = fields;
    reasons.set(only, field ? `${field.path}: ${field.message}` : refusal);
  }
  for (const [index, reason] of reasons) options.onOutcome(index, { status: 'invalid', reason });
  const left = indexes.filter((index) => !reasons.has(index));
  if (reasons.size > 0) return addBatch(left, options);
  // The network does not say which: halves find out.
  const half = Math.ceil(left.length / 2);
  await addBatch(left.slice(0, half), options);
  await addBatch(left.slice(half), options);
}
