// offerlet/testing/jsdom, for the `setupFiles` of Jest and Vitest: gives jsdom what showOffers() needs and jsdom lacks.
// What it adds has no layout and no storage: nothing is ever on screen, and events live as long as the page.
import { runInThisContext } from 'node:vm';

/** Jest hides these from its jsdom environment. `node:vm` is Node's own, so it still reaches them. */
const NODE = runInThisContext(`({
  fetch, Request, Response, Headers, AbortController, TextEncoder, TextDecoder, structuredClone,
  ReadableStream, WritableStream, TransformStream,
})`) as typeof globalThis;

/** Observes, and never has anything to report. */
class SilentObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
  takeRecords(): [] {
    return [];
  }
}

if (typeof document !== 'undefined') complete(globalThis);

function complete(page: object): void {
  const { AbortController: _, ...globals } = NODE;
  add(page, {
    ...globals,
    fetch: (input: RequestInfo | URL, init?: RequestInit) => NODE.fetch(absolute(input), forNode(init)),
    Request: class extends NODE.Request {
      constructor(input: RequestInfo | URL, init?: RequestInit) {
        super(absolute(input), forNode(init));
      }
    },
    IntersectionObserver: SilentObserver,
    ResizeObserver: SilentObserver,
    CSS: { supports: () => false },
    matchMedia: (media: string) => Object.assign(new EventTarget(), { media, matches: false }),
  });
  add(CSSStyleSheet.prototype, { replaceSync() {} });
  for (const { prototype } of [Document, ShadowRoot]) add(prototype, { adoptedStyleSheets: [] });
  add(HTMLDialogElement.prototype, {
    show(this: HTMLDialogElement) {
      this.open = true;
    },
    showModal(this: HTMLDialogElement) {
      this.open = true;
    },
    close(this: HTMLDialogElement) {
      if (!this.open) return;
      this.open = false;
      this.dispatchEvent(new Event('close'));
    },
  });
  add(Element.prototype, { scrollIntoView() {} });
}

/** Adds what an object lacks. */
function add(object: object, members: object): void {
  for (const [name, value] of Object.entries(members))
    if (!(name in object)) Object.defineProperty(object, name, { value, writable: true, configurable: true });
}

/** Resolves a relative URL against the page's, which Node doesn't have. */
function absolute(input: RequestInfo | URL): RequestInfo | URL {
  return typeof input === 'string' ? new URL(input, location.href).href : input;
}

/** Replaces the signal of jsdom, which Node's fetch refuses. */
function forNode(init: RequestInit | undefined): RequestInit {
  const { signal, ...others } = init ?? {};
  if (!signal) return others;
  const controller = new NODE.AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  return { ...others, signal: controller.signal };
}
