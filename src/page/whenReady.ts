import { dom, isPainted, unclobbered } from '../dom/dom.ts';
import { nextTask } from '../session/offerSession.ts';

/** Milliseconds between looks at the page. A page may remove its listeners, close modals by anything, and replace its body. */
const LOOK_MS = 50;
/** Milliseconds that rendering waits for idle time. */
const IDLE_MS = 200;

/** Resolves once something is true of the page, in the current task if it is already. */
async function until(isReady: () => boolean, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && !isReady()) await nextTask(LOOK_MS);
}

/** Resolves once the page is shown to somebody: a browser may render pages ahead that are never opened. */
export function whenActive(signal: AbortSignal): Promise<void> {
  return until(() => !(dom as { prerendering?: boolean }).prerendering, signal);
}

/** Resolves once the place is there, or the page has loaded without it. */
export function whenPlaced(find: () => Element | undefined, signal: AbortSignal): Promise<void> {
  return until(() => find()?.isConnected || dom.readyState === 'complete', signal);
}

/** Resolves once the page is parsed, and has painted once more. */
export async function whenPainted(signal: AbortSignal): Promise<void> {
  await until(() => dom.readyState !== 'loading', signal);
  // Nothing is painted in a background tab, or a frame that is out of view.
  await Promise.race([new Promise((resolve) => requestAnimationFrame(resolve)), nextTask(IDLE_MS)]);
  await nextTask();
}

/** Resolves in idle time of the page, after 200 ms at the latest. */
export function whenIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    try {
      setTimeout(resolve, IDLE_MS);
      requestIdleCallback(resolve);
    } catch {
      // Safari has none: there, the name finds an element with that id. The page's own may throw.
      setTimeout(resolve);
    }
  });
}

/** The page's modals, whatever is in fullscreen, and our other layers. `:is` ignores selectors that a browser does not know. */
const MODALS = ':is(:modal,[aria-modal=true],offer-let-layer)';

/**
 * Resolves once the page has no open modal. A single Esc would close both the modal and a layer that opened over it by
 * itself, and that layer would take the focus from a dialog of the page.
 */
export function whenNoModal(signal: AbortSignal): Promise<void> {
  return until(
    () =>
      ![...dom.querySelectorAll(MODALS)].some(
        (element) => unclobbered(element).getClientRects().length > 0 && isPainted(element),
      ),
    signal,
  );
}

/**
 * Calls back once a node has left the document, as it does when a single-page app replaces its body. A node that is only moved
 * is back by then. `isGone` says what else it may mean, to be asked when the document has changed. Returns a function that stops
 * watching.
 */
export function whenGone(node: Node, callBack: () => void, isGone = (): boolean => !node.isConnected): () => void {
  try {
    const observer = new MutationObserver(() => {
      if (!isGone()) return;
      observer.disconnect();
      callBack();
    });
    observer.observe(dom.documentElement, { childList: true, subtree: true });
    return () => observer.disconnect();
  } catch {
    // The page has replaced it by something that throws.
    return () => {};
  }
}
