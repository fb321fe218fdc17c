import { dom, unclobbered } from '../dom/dom.ts';
import { nextTask } from '../session/offerSession.ts';
import { isPainted } from './watchSeen.ts';

/**
 * Resolves once the page is active (not prerendering), loaded and idle. Offers that are at hand need not wait so long: until the
 * page is parsed, or, if their place is there, not at all.
 */
export async function whenReady(until: 'active' | 'parsed' | 'idle'): Promise<void> {
  if ((dom as { prerendering?: boolean }).prerendering) await next(dom, 'prerenderingchange');
  if (until === 'parsed' && dom.readyState === 'loading') await next(dom, 'DOMContentLoaded');
  if (until !== 'idle') return;
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

/** Milliseconds after which nothing is expected to be painted: in a background tab, or a frame that is out of view. */
const PAINT_MS = 250;

/** Resolves in a task after the next paint. */
export function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, dom.visibilityState === 'hidden' ? 0 : PAINT_MS);
  });
}

/** Milliseconds between polls: pages close modals by class, style, attribute or removal, and no observer reports all of them. */
const POLL_MS = 250;
/** The page's modals, whatever is in fullscreen, and our other layers. `:is` ignores selectors that a browser does not know. */
const MODALS = ':is(:modal,[aria-modal=true],offer-let-layer)';

/**
 * Resolves once the page has no open modal. A single Esc would close both the modal and a layer that opened over it by
 * itself, and that layer would take the focus from a question that the page asks. Returns whether there was one.
 */
export async function whenNoModal(signal: AbortSignal): Promise<boolean> {
  let hasWaited = false;
  for (; !signal.aborted && hasModal(); hasWaited = true) await nextTask(POLL_MS);
  return hasWaited;
}

/** Whether the page has an open modal. */
export function hasModal(): boolean {
  return [...dom.querySelectorAll(MODALS)].some(
    (element) => unclobbered(element).getClientRects().length > 0 && isPainted(element),
  );
}

/**
 * Calls back once a node has left the document, as it does when a single-page app replaces its body. A node that is only moved
 * is back by then. Returns a function that stops watching.
 */
export function whenGone(node: Node, callBack: () => void): () => void {
  const observer = new MutationObserver(() => {
    if (node.isConnected) return;
    observer.disconnect();
    callBack();
  });
  observer.observe(dom.documentElement, { childList: true, subtree: true });
  return () => observer.disconnect();
}
