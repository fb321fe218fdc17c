import type { AddResult, PublisherItem } from '../../../../wire/channel.ts';
import { ADD_MAX_ITEMS } from '../../../../wire/limits.ts';
import type { ConsoleAdded, Failure } from '../../protocol.ts';
import { call, failureOf } from '../app/call.ts';

/** What became of one item. */
export type Outcome =
  | { readonly status: 'created' }
  | { readonly status: 'duplicate' | 'invalid' | 'unsent'; readonly reason: string };

/** Sends a batch; only tests replace it. */
export type SendBatch = (items: readonly PublisherItem[]) => Promise<readonly AddResult[]>;

/**
 * Adds publishers in batches of 50 and reports each. A batch that the network refuses is sent again item by item, so that one
 * mistake does not keep 49 others out. Stops when the network can't be reached: the rest is unsent and can be sent again.
 */
export async function addItems(
  items: readonly PublisherItem[],
  report: (index: number, outcome: Outcome) => void,
  send: SendBatch = post,
): Promise<Failure | undefined> {
  for (let start = 0; start < items.length; start += ADD_MAX_ITEMS) {
    const batch = items.slice(start, start + ADD_MAX_ITEMS);
    const failure = await addBatch(batch, (index, outcome) => report(start + index, outcome), send);
    if (!failure) continue;
    for (let index = start + batch.length; index < items.length; index++)
      report(index, { status: 'unsent', reason: 'not sent' });
    return failure;
  }
  return undefined;
}

async function addBatch(
  batch: readonly PublisherItem[],
  report: (index: number, outcome: Outcome) => void,
  send: SendBatch,
): Promise<Failure | undefined> {
  try {
    const results = await send(batch);
    for (const index of batch.keys()) report(index, outcomeOf(results[index]));
    return undefined;
  } catch (error) {
    const failure = failureOf(error);
    if (failure.code !== 'invalid') {
      // Its fate may be unknown. Sending it again is safe: the network reports what it has as a duplicate.
      for (const index of batch.keys()) report(index, { status: 'unsent', reason: failure.message });
      return failure;
    }
    if (batch.length === 1) {
      report(0, { status: 'invalid', reason: failure.fields?.[0]?.message ?? failure.message });
      return undefined;
    }
    for (const [index, item] of batch.entries()) {
      const stopped = await addBatch([item], (_, outcome) => report(index, outcome), send);
      if (stopped) return stopped;
    }
    return undefined;
  }
}

function outcomeOf(result: AddResult | undefined): Outcome {
  if (result?.status === 'created') return { status: 'created' };
  return { status: 'duplicate', reason: result?.error ?? 'This brand and domain were requested already.' };
}

async function post(items: readonly PublisherItem[]): Promise<readonly AddResult[]> {
  return (await call<ConsoleAdded>('publishers', { method: 'POST', body: { items } })).results;
}
