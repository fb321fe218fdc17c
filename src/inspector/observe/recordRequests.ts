import { dom } from '../../dom/dom.ts';
import { isObject, parseJson } from '../../wire/json.ts';
import { forcedFetch } from '../../wire/scenarios/forcedFetch.ts';
import type { Forcing } from '../../wire/scenarios/forcing.ts';
import { maskRequest } from '../report/mask.ts';

/** One request to a relay and its response, as the page saw them. */
export interface RequestRecord {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The request's body, with personal data masked. */
  readonly sent: unknown;
  readonly isForced: boolean;
  /** Milliseconds until it ended; undefined while it is in flight. */
  readonly ms?: number;
  readonly status?: number;
  /** The response's body. */
  readonly received?: unknown;
  /** Why there is no response. */
  readonly error?: string;
}

/** Maximum requests kept: a page that stays open for days must not fill the memory. */
const REQUESTS_MAX = 100;
/** Maximum characters kept of a response that is not JSON. */
const TEXT_MAX = 300;

/** Records the page's requests to relays, and forces their failures. Other requests pass through unchanged. */
export interface RequestRecorder {
  readonly all: readonly RequestRecord[];
  /** The page's own `fetch`, without recording and forcing. */
  readonly fetch: typeof globalThis.fetch;
  /** Records requests to this relay. */
  watch(relay: string): void;
  force(forcing: Forcing): void;
}

/** Replaces the page's `fetch` with one that records. `onChange` is called whenever a request starts or ends. */
export function recordRequests(onChange: () => void): RequestRecorder {
  const all: RequestRecord[] = [];
  const relays = new Set<string>();
  const pageFetch = window.fetch;
  const fetch: typeof globalThis.fetch = (...given) => pageFetch.apply(window, given);
  let playing = fetch;
  let forcing: Forcing = {};

  window.fetch = (input, init) => {
    const url = urlOf(input);
    const isToRelay = [...relays].some((relay) => url.startsWith(`${relay}/`));
    return isToRelay ? record(new URL(url).pathname, () => playing(input, init), init) : fetch(input, init);
  };

  async function record(path: string, send: () => Promise<Response>, init?: RequestInit): Promise<Response> {
    const entry: { -readonly [Name in keyof RequestRecord]: RequestRecord[Name] } = {
      path,
      at: Date.now(),
      sent: readSent(path, init),
      isForced: isForcing(forcing, path),
    };
    all.push(entry);
    if (all.length > REQUESTS_MAX) all.shift();
    onChange();
    try {
      const response = await send();
      entry.status = response.status;
      // Read before the page has it: the page ends its request as soon as it has read its own copy.
      const text = await response
        .clone()
        .text()
        .catch(() => '');
      entry.received = parseJson(text) ?? (text.slice(0, TEXT_MAX) || undefined);
      return response;
    } catch (error) {
      entry.error = String(error);
      throw error;
    } finally {
      entry.ms = Date.now() - entry.at;
      onChange();
    }
  }

  return {
    all,
    fetch,
    watch: (relay) => void relays.add(relay),
    force(wanted) {
      forcing = wanted;
      playing = forcedFetch(fetch, wanted);
    },
  };
}

function isForcing({ response, faults = [] }: Forcing, path: string): boolean {
  return (!!response && path.endsWith('/recommendations')) || faults.some(({ route }) => path.endsWith(route));
}

function urlOf(input: RequestInfo | URL): string {
  try {
    return new URL(input instanceof Request ? input.url : input, dom.baseURI).href;
  } catch {
    return '';
  }
}

function readSent(path: string, init: RequestInit | undefined): unknown {
  const json = typeof init?.body === 'string' ? parseJson(init.body) : undefined;
  if (!isObject(json)) return undefined;
  return path.endsWith('/recommendations') ? maskRequest(json) : json;
}
