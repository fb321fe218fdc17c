/** Resolves once the page is really opened (not prerendered), loaded, and has a moment to spare. */
export async function whenReady(): Promise<void> {
  if ((document as { prerendering?: boolean }).prerendering) await next(document, 'prerenderingchange');
  if (document.readyState !== 'complete') await next(window, 'load');
  // Safari has no requestIdleCallback.
  await new Promise<unknown>((resolve) =>
    'requestIdleCallback' in window ? requestIdleCallback(resolve, { timeout: 1_000 }) : setTimeout(resolve, 1),
  );
}

function next(target: EventTarget, type: string): Promise<unknown> {
  return new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));
}
