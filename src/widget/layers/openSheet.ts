import { dragSheet } from './dragSheet.ts';
import type { LayerOptions } from './openLayer.ts';

/** Pixels of a pull-up that stay visible when it makes room. */
const PEEK_PX = 72;

/** Opens the pull-up: above the page, not in its way, and it takes no focus. */
export function openSheet({ element, isDeaf, dismiss }: LayerOptions): () => void {
  const { ownerDocument: document } = element;
  const handle = element.querySelector<HTMLElement>('.handle');
  let cameFrom: HTMLElement | undefined;

  element.addEventListener('focusin', ({ relatedTarget }) => {
    if (relatedTarget instanceof HTMLElement && !element.contains(relatedTarget)) cameFrom = relatedTarget;
    expand();
  });
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    dismiss('escape');
  });
  document.addEventListener('focusin', makeRoom);
  if (handle) {
    dragSheet({
      handle,
      sheet: element,
      tapped: () => (element.hasAttribute('data-peek') ? expand() : peek(PEEK_PX)),
      pulledUp: expand,
      pulledDown() {
        if (isDeaf()) return false;
        dismiss('drag');
        return true;
      },
    });
  }
  // Browsers without popovers show it all the same, only not above everything.
  element.showPopover?.();

  return () => {
    document.removeEventListener('focusin', makeRoom);
    const hasFocus = element.matches(':focus-within');
    element.hidePopover?.();
    if (hasFocus) cameFrom?.focus();
  };

  /** What has the focus must not lie under the sheet (WCAG 2.4.11). */
  function makeRoom({ target }: FocusEvent): void {
    const host = (element.getRootNode() as ShadowRoot).host;
    // A popover of its own, such as the inspector's, stands above the sheet.
    if (!(target instanceof Element) || target === host || target.hasAttribute('popover')) return;
    requestAnimationFrame(() => {
      const { bottom, left, right } = target.getBoundingClientRect();
      const view = document.documentElement.clientHeight;
      const box = element.getBoundingClientRect();
      if (bottom > view - element.offsetHeight && right > box.left && left < box.right)
        peek(bottom > view - PEEK_PX ? 0 : PEEK_PX);
    });
  }

  function peek(pixels: number): void {
    element.style.setProperty('--peek', `${pixels}px`);
    element.setAttribute('data-peek', '');
    handle?.setAttribute('aria-expanded', 'false');
  }

  function expand(): void {
    element.removeAttribute('data-peek');
    handle?.setAttribute('aria-expanded', 'true');
  }
}
