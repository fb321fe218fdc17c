import type { BatchResult, BatchResults } from './wireEvent.ts';
import { own, type Parsed } from '../json.ts';
import { BATCH_MAX_EVENTS } from '../limits.ts';
import { plainText } from '../plainText.ts';

/** Why one event of a batch was refused, and whether it may be sent again. */
export interface Refusal {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly retryable: boolean;
}

/** A parsed batch response: each index that was sent is in exactly one of the three. */
export interface ReadBatch {
  readonly accepted: Set<number>;
  readonly refused: Map<number, Refusal>;
  /** Missing, duplicated or unreadable results: the sender keeps these events, because the relay drops duplicates. */
  readonly unknown: number[];
}

/** Returns the 1 to 20 raw events of a batch body. Each event is parsed and can fail on its own. */
export function parseBatch(json: unknown): Parsed<readonly unknown[]> {
  const events = own(json, 'events');
  if (Array.isArray(events) && events.length >= 1 && events.length <= BATCH_MAX_EVENTS)
    return { ok: true, value: events };
  return { ok: false, problems: [{ path: 'events', message: `must be an array of 1 to ${BATCH_MAX_EVENTS} events` }] };
}

/** Creates the response body of a batch: the results and how many of each. */
export function batchResponse(results: readonly BatchResult[]): BatchResults {
  const accepted = results.filter((result) => result.success).length;
  return { results, accepted, failed: results.length - accepted };
}

/** Returns the status of a batch, which follows from its results: all accepted 202, some 207, none 502. */
export function batchStatus({ accepted, failed }: { accepted: number; failed: number }): 202 | 207 | 502 {
  return accepted === 0 ? 502 : failed === 0 ? 202 : 207;
}

/**
 * Reads a 207, or any other batch response with results: what it says about each of the `sent` events, matched by `index`
 * and never by position. See docs/wire.md#batch-responses.
 */
export function readBatchResponse(json: unknown, sent: number): ReadBatch {
  const results = own(json, 'results');
  const byIndex = new Map<unknown, unknown>();
  const duplicates = new Set<unknown>();
  for (const result of Array.isArray(results) ? results : []) {
    const index = own(result, 'index');
    if (byIndex.has(index)) duplicates.add(index);
    else byIndex.set(index, result);
  }
  const read: ReadBatch = { accepted: new Set(), refused: new Map(), unknown: [] };
  for (let index = 0; index < sent; index++) {
    const result = byIndex.get(index);
    const success = duplicates.has(index) ? undefined : own(result, 'success');
    if (success === true) read.accepted.add(index);
    else if (success === false) read.refused.set(index, readRefusal(own(result, 'error')));
    else read.unknown.push(index);
  }
  return read;
}

function readRefusal(error: unknown): Refusal {
  return {
    code: plainText(own(error, 'code'), 100),
    message: plainText(own(error, 'message'), 300),
    retryable: own(error, 'retryable') !== false,
  };
}
