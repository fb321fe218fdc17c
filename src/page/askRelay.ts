import { own, parseJson, type JsonObject } from '../wire/json.ts';
import { RESPONSE_MAX_BYTES, RELAY_TIMEOUT_MS } from '../wire/limits.ts';
import { plainText } from '../wire/plainText.ts';
import { toJson } from '../wire/toJson.ts';
import { outcome, type Outcome } from './outcome.ts';

/** What is asked of whom; `signal` ends it early. */
export interface Question {
  readonly relay: string;
  readonly body: JsonObject;
  readonly signal: AbortSignal;
}

/** The relay's answer, unread, or the outcome that says why there is none. One time limit spans headers and body. */
export async function askRelay({ relay, body, signal }: Question): Promise<{ json: unknown } | Outcome> {
  const url = `${relay}/recommendations`;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(RELAY_TIMEOUT_MS)]);
  const failed = (what: string, hint: string): Outcome => outcome('network_error', `${url} ${what}`, hint);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: toJson(body),
      redirect: 'error',
      signal: limit,
    });
    const { ok, status } = answer;
    const json = parseJson(await readCapped(answer));
    if (ok && json !== undefined) return { json };
    const said = ok ? 'something that is not JSON, or above 1 MiB' : plainText(own(json, 'message'), 300);
    const what = `answered ${status}: ${said ?? 'no reason given'}`;
    const hint = 'see the log of the relay, and whether it is mounted there';
    return status > 399 && status < 500 ? outcome('refused', `${url} ${what}`, hint) : failed(what, hint);
  } catch (error) {
    return limit.aborted
      ? failed(`did not answer within ${RELAY_TIMEOUT_MS / 1_000} s`, 'see whether the relay and its network are up')
      : failed(
          `was not reached (${String(error)})`,
          'see whether it is up, allows this origin, redirects, or is blocked here',
        );
  }
}

/** The body's text; nothing once it is longer than a browser should hold. */
async function readCapped({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return text + decoder.decode();
    size += value.byteLength;
    if (size > RESPONSE_MAX_BYTES) {
      void reader?.cancel();
      return '';
    }
    text += decoder.decode(value, { stream: true });
  }
}
