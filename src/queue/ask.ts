import type { Send, StoredEvent } from './events.ts';

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
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    return await Promise.race([
      send(events, { keepalive, signal: stop.signal }).then(async (answer): Promise<Answer> => {
        const { status } = answer;
        const reason = `Answered ${status}`;
        if (!('headers' in answer)) return { ...answer, reason };
        return {
          status,
          body: await answer.json().catch(() => {}),
          retryAfter: answer.headers.get('retry-after'),
          reason,
        };
      }),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          stop.abort();
          reject(Error('Timeout'));
        }, TIMEOUT_MS);
      }),
    ]);
  } catch (error) {
    return { status: 0, reason: String(error) };
  } finally {
    clearTimeout(timer);
  }
}
