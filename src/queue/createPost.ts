import { looksSecret } from '../wire/keys.ts';
import { toJson } from '../wire/json.ts';
import { TIME_HEADER } from '../wire/events.ts';

/** Names and values of headers. */
type HeaderFields = Readonly<Record<string, string>>;

/** How requests reach the relay. */
export interface RelayAccess {
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Headers of every request to the relay, or a function that returns them, which is called before each. */
  headers?: HeaderFields | (() => HeaderFields | Promise<HeaderFields>) | undefined;
}

/** The access of one session or queue, and the clock that each response sets. */
export interface ClockedAccess extends RelayAccess {
  readonly clock: Clock;
}

/** What a request is rejected with whose headers hold a secret key. */
export const SECRET = 'Secret key';

/** Posts a body as JSON. Rejects if it cannot be sent, or is redirected: a redirect would carry the body elsewhere. */
type Post = (url: string, body: unknown, how: RequestInit) => Promise<Response>;

/** Returns the function that sends every request to the relay. It keeps the `fetch` that the page has now. */
export function createPost({ fetch = globalThis.fetch, headers, clock }: ClockedAccess): Post {
  return (url, body, how) => {
    const send = (given?: HeaderFields): Promise<Response> => {
      // Consent may have been withdrawn while the headers were awaited.
      if (how.signal?.aborted) throw Error('Aborted');
      const sent = Date.now();
      return fetch(url, {
        ...how,
        method: 'POST',
        headers: { ...given, 'content-type': 'application/json' },
        body: toJson(body),
        redirect: 'error',
      }).then((response) => {
        clock.read(response, sent);
        return response;
      });
    };
    // At once if possible: a page that is being closed does not come back to it.
    if (!headers) return send();
    return Promise.resolve()
      .then(() => (typeof headers === 'function' ? headers() : headers))
      .then(checked)
      .then(send);
  };
}

/** Browsers and apps have no secrets: anybody who opens them can read each header. */
function checked(given: HeaderFields): HeaderFields {
  // Of a `Headers` object there is nothing to spread.
  const headers = Object.fromEntries(new Headers(given));
  if (looksSecret(toJson(headers))) throw SECRET;
  return headers;
}

/** Milliseconds by which the device's clock may run ahead of the page's own: more means that the device slept, or was set. */
const DRIFT_MAX_MS = 30_000;

/** The clock that events are stamped by. */
export interface Clock {
  /** Returns the relay's time, or the device's, which the relay corrects when it is sent. In milliseconds since 1970. */
  now(): { readonly at: number; readonly isRelayTime: boolean };
  /** Reads the relay's time in a response, where there is one and the device has not slept since the request. */
  read(response: unknown, sent: number): void;
}

/**
 * Opens a clock. After a response of the relay it shows the relay's time, as counted by the page itself: setting the device's
 * clock does not change that. When the device's clock has run ahead of the page's, the device may have slept: then the clock
 * shows the device's time until the next response.
 */
export function openClock(): Clock {
  let anchor: { readonly relay: number; readonly device: number; readonly page: number } | undefined;
  return {
    now() {
      const device = Date.now();
      const passed = performance.now() - (anchor?.page ?? 0);
      if (anchor && device - anchor.device - passed > DRIFT_MAX_MS) anchor = undefined;
      return { at: anchor ? Math.round(anchor.relay + passed) : device, isRelayTime: !!anchor };
    },
    read(response, sent) {
      const headers = (response as Partial<Response> | undefined)?.headers;
      const relay = Number(headers?.get?.(TIME_HEADER));
      const device = Date.now();
      if (relay > 1e12 && relay < 1e13 && device - sent <= DRIFT_MAX_MS)
        anchor = { relay, device, page: performance.now() };
    },
  };
}

/**
 * What `within` rejects with. It is not an Error: creating one while the script starts makes the browser look up its
 * position. With developer tools attached, the browser would parse the whole script again.
 */
export const LATE = 'Timeout';

/**
 * Resolves to the promise's value, or rejects when it takes longer, or `signal` aborts. The time is split into two halves, so that a page
 * that was busy throughout handles pending events before the second half is over.
 */
export async function within<T>(ms: number, promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', reject);
    timer = setTimeout(() => {
      timer = setTimeout(reject, ms / 2, LATE);
    }, ms / 2);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a controller that a signal aborts as well, until it is aborted by itself. */
export function childOf(signal: AbortSignal): AbortController {
  const child = new AbortController();
  signal.addEventListener('abort', () => child.abort(), child);
  return child;
}

/** Resolves in a separate task, after `ms`, so that the current task stays short and input is handled in between. */
export function nextTask(ms?: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
