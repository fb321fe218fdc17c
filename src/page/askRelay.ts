import { own, parseJson, type JsonObject } from '../wire/json.ts';
import { ANSWER_MAX_BYTES, ANSWER_TIMEOUT_MS } from '../wire/limits.ts';
import { plainText } from '../wire/text.ts';
import { toJson } from '../wire/to-json.ts';
import { outcome, type Outcome } from './outcome.ts';

/** What is asked of whom; `signal` ends it early. */
export interface Question {
  readonly relay: string;
  readonly body: JsonObject;
  readonly signal: AbortSignal;
  readonly fetch?: typeof fetch;
}

/** The relay's answer, unread, or the outcome that says why there is none. One time limit spans headers and body. */
export async function askRelay({
  relay,
  body,
  signal,
  fetch = globalThis.fetch,
}: Question): Promise<{ json: unknown } | Outcome> {
  const url = `${relay}/recommendations`;
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  const timer = setTimeout(stop, ANSWER_TIMEOUT_MS);
  signal.addEventListener('abort', stop);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: toJson(body),
      credentials: 'same-origin',
      redirect: 'error',
      cache: 'no-store',
      signal: abort.signal,
    });
    const text = await readCapped(answer);
    const json = parseJson(text ?? '');
    if (answer.ok && json !== undefined) return { json };
    if (answer.ok)
      return failed(
        `${url} answered ${answer.status} with ${text === undefined ? 'more than 1 MiB' : 'something that is not JSON'}`,
        'look at what answers at that address',
      );
    const message = `${url} answered ${answer.status}: ${plainText(own(json, 'message'), 300) ?? 'no reason given'}`;
    return answer.status < 500
      ? outcome('refused', message, 'the relay understood but will not answer: see its log')
      : failed(message, 'see the log of the relay');
  } catch (error) {
    if (abort.signal.aborted)
      return failed(
        `${url} did not answer within ${ANSWER_TIMEOUT_MS / 1_000} s`,
        'see whether the relay and its network are up',
      );
    return failed(
      `${url} could not be reached (${String(error)})`,
      'see whether it runs, allows this origin, does not redirect, and is not blocked by the page or an extension',
    );
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    abort.abort();
  }
}

function failed(message: string, hint: string): Outcome {
  return outcome('network_error', message, hint);
}

/** The body's text, or `undefined` once it is longer than a browser should hold. */
async function readCapped(answer: Response): Promise<string | undefined> {
  const reader = answer.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) return text + decoder.decode();
    size += chunk.value.byteLength;
    if (size > ANSWER_MAX_BYTES) return undefined;
    text += decoder.decode(chunk.value, { stream: true });
  }
}
