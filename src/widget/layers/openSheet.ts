import { dom } from '../../dom/dom.ts';
import { unclobbered } from '../../dom/dom.ts';
import { dragSheet } from './dragSheet.ts';
import type { WidgetView } from '../widgetView.ts';

/** The element of a layer and how it is dismissed. */
export interface LayerOptions {
  element: HTMLElement;
  ignoresInput(): boolean;
  dismiss: WidgetView['dismiss'];
}

/** Pixels of a collapsed pull-up that stay visible; the stylesheet has the same number. */
const PEEK_PX = 72;

/** Opens the pull-up above the page without taking the focus. Returns a function that closes it. */
export function openSheet({ element, ignoresInput, dismiss }: LayerOptions): () => void {
  const handle = element.querySelector<HTMLElement>('.handle');
  let focusBefore: HTMLElement | undefined;

  element.addEventListener('focusin', ({ relatedTarget }) => {
    if (relatedTarget instanceof HTMLElement && !element.contains(relatedTarget)) focusBefore = relatedTarget;
    expand();
  });
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    dismiss('escape');
  });
  dom.addEventListener('focusin', uncover);
  dom.addEventListener('focusout', showPeek);
  if (handle) {
    dragSheet({
      handle,
      sheet: element,
      tapped: () => (element.hasAttribute('data-peek') ? expand() : peek(PEEK_PX)),
      pulledUp: expand,
      pulledDown() {
        if (ignoresInput()) return false;
        dismiss('drag');
        return true;
      },
    });
  }
  // Browsers without popovers show it too, only not in the top layer.
  element.showPopover?.();

  return () => {
    dom.removeEventListener('focusin', uncover);
    dom.removeEventListener('focusout', showPeek);
    const hasFocus = element.matches(':focus-within');
    element.hidePopover?.();
    if (hasFocus && focusBefore) unclobbered(focusBefore).focus();
  };

  /** Collapses the sheet when it covers the element that has the focus (WCAG 2.4.11). */
  function uncover({ target }: FocusEvent): void {
    const host = (element.getRootNode() as ShadowRoot).host;
    // Another popover, such as the inspector's, is above the sheet.
    if (!(target instanceof Element) || target === host || unclobbered(target).hasAttribute('popover')) return;
    requestAnimationFrame(() => {
      const { bottom, left, right } = unclobbered(target).getBoundingClientRect();
      const view = dom.documentElement.clientHeight;
      const box = element.getBoundingClientRect();
      if (bottom > view - element.offsetHeight && right > box.left && left < box.right)
        peek(bottom > view - PEEK_PX ? 0 : PEEK_PX);
    });
  }

  /** Undoes a collapse to nothing: the element that was in the way of the peek has lost the focus. */
  function showPeek(): void {
    if (element.getAttribute('data-peek') === '0') peek(PEEK_PX);
  }

  function peek(pixels: number): void {
    element.setAttribute('data-peek', `${pixels}`);
    handle?.setAttribute('aria-expanded', 'false');
  }

  function expand(): void {
    element.removeAttribute('data-peek');
    handle?.setAttribute('aria-expanded', 'true');
  }
}
