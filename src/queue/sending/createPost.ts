import { looksSecret } from '../../wire/keys.ts';
import { toJson } from '../../wire/toJson.ts';
import type { Clock } from '../clock.ts';

/** How requests reach the relay. */
export interface RelayAccess {
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Called before every request to the relay. The request gets the headers that it returns. */
  headers?: (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>) | undefined;
}

/** The access of one session or queue, and the clock that each response sets. */
export interface ClockedAccess extends RelayAccess {
  readonly clock: Clock;
}

/** Rejects a request whose headers hold a secret key. */
export const SECRET = 'Secret key';

/** Posts a body as JSON. Rejects if it cannot be sent, or is redirected: a redirect would carry the body elsewhere. */
export type Post = (url: string, body: unknown, how: RequestInit) => Promise<Response>;

/** Returns the function that sends every request to the relay. It keeps the `fetch` that the page has now. */
export function createPost({ fetch = globalThis.fetch, headers, clock }: ClockedAccess): Post {
  return (url, body, how) => {
    const send = (given?: Readonly<Record<string, string>>): Promise<Response> => {
      // Consent may have been withdrawn while the headers were awaited.
      if (how.signal?.aborted) throw Error('Aborted');
      return fetch(url, {
        ...how,
        method: 'POST',
        headers: { ...given, 'content-type': 'application/json' },
        body: toJson(body),
        redirect: 'error',
      }).then((response) => {
        clock.read(response);
        return response;
      });
    };
    // At once if possible: a page that is being closed does not come back to it.
    return headers ? Promise.resolve().then(headers).then(checked).then(send) : send();
  };
}

/** Browsers and apps have no secrets: whoever opens them can read each header. */
function checked(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (looksSecret(toJson(headers))) throw SECRET;
  return headers;
}
