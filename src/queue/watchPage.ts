import { dom } from '../dom/dom.ts';

/** Follows the page's life where there is a page; `revive(true)` is a new view of it. Answers a function that stops. */
export function watchPage(leave: () => void, revive: (isNewView: boolean) => void): () => void {
  const stop = new AbortController();
  const on = (type: string, listener: (event: Event) => void): void =>
    // Captured: `visibilitychange` is the document's, and a page that stops it from bubbling does not stop us.
    globalThis.addEventListener?.(type, listener, { capture: true, signal: stop.signal });
  on('pagehide', leave);
  on('pageshow', (event) => revive((event as PageTransitionEvent).persisted));
  on('online', () => revive(false));
  on('visibilitychange', () => (dom.hidden ? leave() : revive(false)));
  return () => stop.abort();
}
