import { dom } from '../../dom/dom.ts';
import { unclobbered } from '../../dom/unclobbered.ts';
import { nextTask } from '../../session/nextTask.ts';
import { isPainted } from '../seen/isPainted.ts';

/** Milliseconds between two looks: a page closes its modals by class, style, attribute or removal, and no observer sees all of them. */
const LOOK_MS = 250;
/** What stands over a page: its modals, whatever is in fullscreen, and another layer of ours. `:is` forgives browsers that do not know `:modal`. */
const MODALS = ':is(:modal,[aria-modal=true],offer-let-layer)';

/**
 * Resolves once no modal of the page is open. A layer that opens by itself over one would be closed together with it
 * by a single Esc, and would take the focus from a question that the page is asking.
 */
export async function whenNoModal(signal: AbortSignal): Promise<void> {
  while (!signal.aborted && hasModal()) await nextTask(LOOK_MS);
}

function hasModal(): boolean {
  return [...dom.querySelectorAll(MODALS)].some(
    (element) => unclobbered(element).getClientRects().length > 0 && isPainted(element),
  );
}
