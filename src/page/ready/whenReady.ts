import { dom } from '../../dom/dom.ts';

/** Resolves once the page is active (not prerendering), loaded and idle. */
export async function whenReady(): Promise<void> {
  if ((dom as { prerendering?: boolean }).prerendering) await next(dom, 'prerenderingchange');
  if (dom.readyState !== 'complete') await next(window, 'load');
  // Safari has no requestIdleCallback: there, the name finds an element with that id.
  await new Promise<unknown>((resolve) =>
    typeof requestIdleCallback === 'function'
      ? requestIdleCallback(resolve, { timeout: 1_000 })
      : setTimeout(resolve, 1),
  );
}

function next(target: EventTarget, type: string): Promise<unknown> {
  return new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));
}
