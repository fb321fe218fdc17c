import { dom } from '../../dom/dom.ts';
import { unclobbered } from '../../dom/unclobbered.ts';
import { nextTask } from '../../session/nextTask.ts';
import { isPainted } from '../seen/isPainted.ts';

/** Milliseconds between polls: pages close modals by class, style, attribute or removal, and no observer reports all of them. */
const POLL_MS = 250;
/** The page's modals, whatever is in fullscreen, and our other layers. `:is` ignores selectors that a browser does not know. */
const MODALS = ':is(:modal,[aria-modal=true],offer-let-layer)';

/**
 * Resolves once the page has no open modal. A single Esc would close both the modal and a layer that opened over it by
 * itself, and that layer would take the focus from a question that the page asks.
 */
export async function whenNoModal(signal: AbortSignal): Promise<void> {
  while (!signal.aborted && hasModal()) await nextTask(POLL_MS);
}

function hasModal(): boolean {
  return [...dom.querySelectorAll(MODALS)].some(
    (element) => unclobbered(element).getClientRects().length > 0 && isPainted(element),
  );
}
