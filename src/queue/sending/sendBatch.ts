import type { Send, StoredEvent } from '../events.ts';
import { within } from '../within.ts';
import { reasonOf } from '../../wire/reasonOf.ts';
/** The parts of a response that matter; status 0 when there was none. */
export interface BatchResponse {
  status: number;
  body?: unknown;
  retryAfter?: string | null;
  reason: string;
}

/** Whether the body of a response says what became of each event; all others are settled by their status. */
export function hasResults(status: number): boolean {
  return status === 207 || status === 502;
}

/** Milliseconds that one request may take, its body included where that is read. */
const TIMEOUT_MS = 10_000;
/** Milliseconds that a body nobody reads may take to end, so that the connection can be used again. */
const UNREAD_MS = 1_000;

/** Sends one batch and reads the response. It never takes longer than ten seconds and never rejects. `ended` aborts it. */
export async function sendBatch(
  send: Send,
  events: readonly StoredEvent[],
  how: Omit<Parameters<Send>[1], 'signal'>,
  ended?: AbortSignal,
): Promise<BatchResponse> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  ended?.addEventListener('abort', stop);
  const read = async (): Promise<BatchResponse> => {
    const response = await send(events, { ...how, signal: abort.signal });
    const { status } = response;
    const reason = `Status ${status}`;
    if (!('headers' in response)) return { ...response, reason };
    let body: unknown;
    if (hasResults(status)) body = await response.json().catch(() => {});
    else within(UNREAD_MS, response.text()).catch(stop);
    return { status, body, retryAfter: response.headers.get('retry-after'), reason };
  };
  try {
    return await within(TIMEOUT_MS, read());
  } catch (error) {
    stop();
    return { status: 0, reason: reasonOf(error) };
  } finally {
    ended?.removeEventListener('abort', stop);
  }
}
