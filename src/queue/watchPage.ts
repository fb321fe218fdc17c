/** Follows the page's life where there is a page. Answers a function that stops. */
export function watchPage({ leave, revive }: { leave(): void; revive(isNewView: boolean): void }): () => void {
  const stop = new AbortController();
  const on = (target: EventTarget | undefined, type: string, listener: (event: Event) => void): void =>
    target?.addEventListener?.(type, listener, { signal: stop.signal });
  const page = globalThis.document as Document | undefined;
  on(globalThis, 'pagehide', leave);
  on(globalThis, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) revive(true);
  });
  on(globalThis, 'online', () => revive(false));
  on(page, 'visibilitychange', () => (page?.visibilityState === 'hidden' ? leave() : revive(false)));
  return () => stop.abort();
}
