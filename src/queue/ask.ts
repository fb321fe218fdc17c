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
/** Bytes of keepalive requests in flight: the page shares 65,536 among everybody on it. */
const KEEPALIVE_MAX_BYTES = 60 * 1024;

/** Sends batches through `send`: with keepalive where it fits, never longer than ten seconds, never rejecting. */
export function openAsk(send: Send): {
  ask(events: readonly StoredEvent[], bytes: number): Promise<Answer>;
  /** Bytes that a keepalive request may have now. */
  room(): number;
} {
  let inFlight = 0;
  // The page may have used up what keepalive allows: after such a failure the next try goes without.
  let isShy = false;
  const room = (): number => KEEPALIVE_MAX_BYTES - inFlight;

  return {
    room,
    async ask(events, bytes) {
      const keepalive = !isShy && bytes <= room();
      const stop = new AbortController();
      let timer: ReturnType<typeof setTimeout> | undefined;
      if (keepalive) inFlight += bytes;
      const answered = async (): Promise<Answer> => readAnswer(await send(events, { keepalive, signal: stop.signal }));
      try {
        const late = new Promise<never>((_, reject) => {
          timer = setTimeout(() => {
            reject(new Error('timeout'));
            stop.abort();
          }, TIMEOUT_MS);
        });
        const answer = await Promise.race([answered(), late]);
        isShy = false;
        return answer;
      } catch (error) {
        isShy = keepalive && error instanceof TypeError;
        return { status: 0, reason: String(error) };
      } finally {
        clearTimeout(timer);
        if (keepalive) inFlight -= bytes;
      }
    },
  };
}

async function readAnswer(answer: Awaited<ReturnType<Send>>): Promise<Answer> {
  const { status } = answer;
  const reason = `answered ${status}`;
  if (!('headers' in answer)) return { ...answer, reason };
  const body: unknown = await answer.json().catch(() => undefined);
  return { status, body, retryAfter: answer.headers.get('retry-after'), reason };
}
