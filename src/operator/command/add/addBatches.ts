import {
  AuthError,
  NetworkError,
  ValidationError,
  type AddResult,
  type ChannelClient,
  type PublisherItem,
} from '../../../clients.ts';
import { ADD_MAX_ITEMS } from '../../../wire/limits.ts';

/** What became of one item. */
export type Outcome =
  | { readonly status: 'added'; readonly pending_publisher_id: string }
  | { readonly status: 'duplicate'; readonly reason: string }
  | { readonly status: 'invalid'; readonly reason: string }
  | { readonly status: 'not sent'; readonly reason: string };

/** What `addBatches` needs. */
export interface AddOptions {
  readonly channel: Pick<ChannelClient, 'add'>;
  readonly items: readonly PublisherItem[];
  /** Called with the index of each item, in order, as soon as its outcome is known. */
  onOutcome(index: number, outcome: Outcome): void;
  readonly signal?: AbortSignal | undefined;
  readonly wait?: ((ms: number) => Promise<void>) | undefined;
}

/** Attempts of one batch whose fate is unknown. Sending it again is safe: the network reports what it has as a duplicate. */
const ATTEMPTS = 4;
const WAIT_MS = 1_000;

/**
 * Adds publishers in batches of 50. A batch that is refused because of single items is sent again without them. Rejects
 * when the network refuses the key or stays unreachable; outcomes until then have been reported.
 */
export async function addBatches(options: AddOptions): Promise<void> {
  for (let start = 0; start < options.items.length; start += ADD_MAX_ITEMS) {
    const indexes = options.items.slice(start, start + ADD_MAX_ITEMS).map((_, offset) => start + offset);
    await addBatch(indexes, options);
  }
}

async function addBatch(indexes: readonly number[], options: AddOptions): Promise<void> {
  if (indexes.length === 0) return;
  const items = options.items.filter((_, index) => indexes.includes(index));
  let results: readonly AddResult[];
  let wasLost: boolean;
  try {
    ({ results, wasLost } = await send(items, options));
  } catch (error) {
    if (error instanceof ValidationError) return withoutRefused({ indexes, error, options });
    throw error;
  }
  for (const [place, index] of indexes.entries()) {
    const result = results[place];
    if (result?.status === 'created')
      options.onOutcome(index, { status: 'added', pending_publisher_id: result.create_request.pending_publisher_id });
    else
      options.onOutcome(index, {
        status: 'duplicate',
        reason: wasLost
          ? 'requested already, perhaps by an attempt whose response was lost'
          : (result?.error ?? 'requested already'),
      });
  }
}

async function send(
  items: readonly PublisherItem[],
  { channel, signal, wait = pause }: AddOptions,
): Promise<{ results: readonly AddResult[]; wasLost: boolean }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { results: await channel.add(items, { signal }), wasLost: attempt > 1 };
    } catch (error) {
      const isUncertain =
        error instanceof NetworkError && !(error instanceof AuthError) && (error.status === 0 || error.status >= 500);
      if (!isUncertain || attempt >= ATTEMPTS || signal?.aborted) throw error;
      await wait(WAIT_MS * 2 ** (attempt - 1));
    }
  }
}

/** Reports the items that the network names (`items[3].domain: …`) as invalid, and sends the others. */
async function withoutRefused({
  indexes,
  error,
  options,
}: {
  indexes: readonly number[];
  error: ValidationError;
  options: AddOptions;
}): Promise<void> {
  const reasons = new Map<number, string>();
  for (const { path, message } of error.fields) {
    const [, place, reason] =
      /items\[(\d+)\]\.?(.*)/s.exec(message) ?? /items\[(\d+)\]\.?(.*)/s.exec(`${path}: ${message}`) ?? [];
    const index = place === undefined ? undefined : indexes[Number(place)];
    if (index !== undefined) reasons.set(index, reason?.replace(/^[:\s]+/, '') || message);
  }
  const [only] = indexes;
  if (reasons.size === 0 && indexes.length === 1 && only !== undefined) {
    const [field] = error.fields;
    reasons.set(only, field ? `${field.path}: ${field.message}` : error.message);
  }
  for (const [index, reason] of reasons) options.onOutcome(index, { status: 'invalid', reason });
  const left = indexes.filter((index) => !reasons.has(index));
  if (reasons.size > 0) return addBatch(left, options);
  // The network does not say which: halves find out.
  const half = Math.ceil(left.length / 2);
  await addBatch(left.slice(0, half), options);
  await addBatch(left.slice(half), options);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
