/** Milliseconds between two looks: a page closes its modals by class, style, attribute or removal, and no observer sees all of them. */
const LOOK_MS = 250;

/**
 * Resolves once no modal of the page is open. A layer that opens by itself over one would be closed together with it
 * by a single Esc, and would take the focus from a question that the page is asking.
 */
export async function whenNoModal(signal: AbortSignal): Promise<void> {
  while (!signal.aborted && hasModal()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

function hasModal(): boolean {
  // `:modal` would also match a video in fullscreen, `[open]` alone a dialog that blocks nothing.
  return [...document.querySelectorAll('dialog[open], [aria-modal=true]')].some(
    (element) => element.getClientRects().length > 0 && (element.matches('[aria-modal=true]') || isModal(element)),
  );
}

function isModal(element: Element): boolean {
  try {
    return element.matches(':modal');
  } catch {
    return true;
  }
}
