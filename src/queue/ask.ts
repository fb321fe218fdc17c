import type { Send, StoredEvent } from './events.ts';
import { within } from './within.ts';

/** An answer, or why there is none (status 0). */
export interface Answer {
  status: number;
  body?: unknown;
  retryAfter?: string | null;
  reason: string;
}

/** Milliseconds that one request may take, its body included. */
const TIMEOUT_MS = 10_000;

/** Sends one batch and reads the answer; never longer than ten seconds, never rejecting. */
export async function ask(send: Send, events: readonly StoredEvent[], keepalive: boolean): Promise<Answer> {
  const stop = new AbortController();
  const read = async (): Promise<Answer> => {
    const answer = await send(events, { keepalive, signal: stop.signal });
    const { status } = answer;
    const reason = `Answered ${status}`;
    return 'headers' in answer
      ? { status, body: await answer.json().catch(() => {}), retryAfter: answer.headers.get('retry-after'), reason }
      : { ...answer, reason };
  };
  try {
    return await within(TIMEOUT_MS, read());
  } catch (error) {
    stop.abort();
    return { status: 0, reason: String(error) };
  }
}
