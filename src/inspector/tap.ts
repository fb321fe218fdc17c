import { dom } from '../dom/dom.ts';
import { forcedFetch } from '../wire/scenarios/forcedFetch.ts';
import type { Forcing } from '../wire/scenarios/forcing.ts';
import { isObject, parseJson, type JsonObject } from '../wire/json.ts';
import { maskQuestion } from './mask.ts';

/** One request to a relay and what came of it, as the page saw it. */
export interface Exchange {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** What was sent, personal data masked. */
  readonly sent: unknown;
  readonly isForced: boolean;
  readonly ms?: number;
  readonly status?: number;
  readonly answer?: unknown;
  /** Why there is no answer. */
  readonly error?: string;
}

/** Requests that are kept; a page that stays open for days must not grow. */
const EXCHANGES_MAX = 100;

/** A tap on the page's `fetch`: it sees what goes to relays, and can be told to spoil it. Other requests do not notice it. */
export interface Tap {
  readonly exchanges: readonly Exchange[];
  /** The page's own `fetch`, unspoilt. */
  readonly fetch: typeof globalThis.fetch;
  watch(relay: string): void;
  /** Notes what was asked before the tap was there. */
  note(exchange: Exchange): void;
  force(forcing: Forcing): void;
}

/** Opens the tap. `onChange` is called whenever there is something new. */
export function openTap(onChange: () => void): Tap {
  const exchanges: Exchange[] = [];
  const relays = new Set<string>();
  const own = window.fetch;
  const fetch: typeof globalThis.fetch = (...given) => own.apply(window, given);
  let forced = fetch;
  let forcing: Forcing = {};

  window.fetch = (input, init) => {
    const url = addressOf(input);
    return [...relays].some((relay) => url.startsWith(`${relay}/`)) ? exchange(url, input, init) : fetch(input, init);
  };

  function note(entry: Exchange): void {
    exchanges.push(entry);
    if (exchanges.length > EXCHANGES_MAX) exchanges.shift();
    onChange();
  }

  async function exchange(...[url, input, init]: [string, ...Parameters<typeof globalThis.fetch>]): Promise<Response> {
    const { pathname } = new URL(url);
    const at = Date.now();
    const entry: { -readonly [Name in keyof Exchange]: Exchange[Name] } = {
      path: pathname,
      at,
      sent: readSent(pathname, init),
      isForced: isForcing(forcing, pathname),
    };
    note(entry);
    try {
      const response = await forced(input, init);
      entry.status = response.status;
      // Read at once: the page ends its request as soon as it has read its own copy.
      const text = await response
        .clone()
        .text()
        .catch(() => '');
      entry.answer = parseJson(text) ?? (text.slice(0, 300) || undefined);
      return response;
    } catch (error) {
      entry.error = String(error);
      throw error;
    } finally {
      entry.ms = Date.now() - at;
      onChange();
    }
  }

  return {
    exchanges,
    fetch,
    watch: (relay) => void relays.add(relay),
    note,
    force(wished) {
      forcing = wished;
      forced = forcedFetch(fetch, wished);
    },
  };
}

function isForcing({ response, faults = [] }: Forcing, pathname: string): boolean {
  return (!!response && pathname.endsWith('/recommendations')) || faults.some(({ route }) => pathname.endsWith(route));
}

function addressOf(input: RequestInfo | URL): string {
  try {
    return new URL(input instanceof Request ? input.url : input, dom.baseURI).href;
  } catch {
    return '';
  }
}

function readSent(pathname: string, init: RequestInit | undefined): unknown {
  const json = typeof init?.body === 'string' ? parseJson(init.body) : undefined;
  if (!isObject(json)) return undefined;
  const body: JsonObject = json;
  return pathname.endsWith('/recommendations') ? maskQuestion(body) : body;
}
