import { dom } from '../dom/dom.ts';
import { type JsonObject, isObject, parseJson } from '../wire/json.ts';
import { forcedFetch, type ForcedFetch } from '../wire/scenarios/forcedFetch.ts';
import type { Forcing } from '../wire/scenarios/scenarios.ts';
import type { PageEvent } from '../session/openTrace.ts';

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

/** Maximum recorded requests: a page that stays open for days must not fill the memory. */
const REQUESTS_MAX = 100;
/** Maximum recorded characters of a response that is not JSON. */
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
  let playing: ForcedFetch = fetch;

  window.fetch = (input, init) => {
    const url = urlOf(input);
    const isToRelay = [...relays].some((relay) => url.startsWith(`${relay}/`));
    return isToRelay
      ? record(new URL(url).pathname, (onForced) => playing(input, init, onForced), init)
      : fetch(input, init);
  };

  async function record(
    path: string,
    send: (onForced: () => void) => Promise<Response>,
    init?: RequestInit,
  ): Promise<Response> {
    const entry: { -readonly [Name in keyof RequestRecord]: RequestRecord[Name] } = {
      path,
      at: Date.now(),
      sent: readSent(path, init),
      isForced: false,
    };
    all.push(entry);
    if (all.length > REQUESTS_MAX) all.shift();
    onChange();
    try {
      const response = await send(() => (entry.isForced = true));
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
      playing = forcedFetch(fetch, wanted);
    },
  };
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

/** Something that the page's Content-Security-Policy blocked. */
interface Violation {
  readonly directive: string;
  readonly url: string;
}

/** A movement of something on the page. */
export interface Shift {
  /** When its frame began, and when it was seen, by `performance.now()`. */
  readonly from: number;
  readonly to: number;
  readonly pixels: number;
}

/** What has happened on the page since the inspector was opened. */
export interface PageObserver {
  /** Returns when an event was emitted, in milliseconds since 1970. */
  receivedAt(event: PageEvent): number | undefined;
  readonly refused: readonly Violation[];
  readonly shifts: readonly Shift[];
}

interface LayoutShift extends PerformanceEntry {
  readonly sources: readonly {
    readonly node: Node | null;
    readonly previousRect: DOMRectReadOnly;
    readonly currentRect: DOMRectReadOnly;
  }[];
}

/** The inspector's own element, whose movements are not the page's. */
const INSPECTOR_ELEMENT = 'OFFERLET-INSPECTOR';
/** Maximum recorded violations and shifts: a page that stays open for days must not fill the memory. */
const KEPT_MAX = 200;

/** Listens to the widget's events, and to what the browser reports about the page. */
export function observePage(onEvent: (event: PageEvent, host: Element | undefined) => void): PageObserver {
  const times = new WeakMap<PageEvent, number>();
  const refused: Violation[] = [];
  const shifts: Shift[] = [];

  dom.addEventListener(
    'offerlet',
    (event) => {
      const { detail } = event as CustomEvent<PageEvent>;
      times.set(detail, Date.now());
      onEvent(detail, event.target instanceof Element ? event.target : undefined);
    },
    { capture: true },
  );
  dom.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
    keep(refused, { directive: effectiveDirective, url: blockedURI });
  });
  if (PerformanceObserver.supportedEntryTypes.includes('layout-shift')) {
    let isBuffered = true;
    new PerformanceObserver((list) => {
      // A frame begins when the browser asks for it: long before it moves anything, where the page is busy.
      const now = performance.now();
      for (const { startTime, sources } of list.getEntries() as LayoutShift[]) {
        // Nodes in shadow roots, such as the inspector's own, are not part of the page.
        const moved = sources.filter(({ node }) => node && dom.contains(node) && node.nodeName !== INSPECTOR_ELEMENT);
        const pixels = Math.max(0, ...moved.map(distanceOf));
        if (pixels > 0) keep(shifts, { from: startTime, to: isBuffered ? startTime : now, pixels });
      }
    }).observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => (isBuffered = false));
  }
  return { receivedAt: (event) => times.get(event), refused, shifts };
}

function keep<T>(list: T[], item: T): void {
  list.push(item);
  if (list.length > KEPT_MAX) list.shift();
}

function distanceOf({ previousRect, currentRect }: LayoutShift['sources'][number]): number {
  // A node that was or is outside the viewport has an empty rectangle.
  if (previousRect.height === 0 || currentRect.height === 0) return 0;
  return Math.abs(currentRect.top - previousRect.top);
}

/** Replaces a value that could identify a person. */
export const MASK = '•••';

/** Fields of a request whose values say nothing about a person. */
const UNMASKED: Readonly<Record<string, readonly string[]>> = {
  placement_details: ['view', 'display_mode', 'widget_id', 'sub_view'],
  custom_metadata: ['is_sandbox'],
};

/** Masks every value of a recommendations request that could identify a person; the field names stay. */
export function maskRequest(body: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, maskField(value, UNMASKED[field] ?? [])]),
  );
}

function maskField(value: unknown, unmasked: readonly string[]): unknown {
  if (!isObject(value)) return maskAll(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, unmasked.includes(name) ? part : maskAll(part)]),
  );
}

function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskAll);
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, maskAll(part)]));
  return value === undefined || value === null ? value : MASK;
}
