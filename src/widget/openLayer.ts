import { dom, unclobbered } from '../dom/dom.ts';
import { offerRest } from './OfferCard.tsx';
import type { Layer, WidgetView } from './props.ts';

/**
 * Appends the host element of a layer to <html>, where no transform, overflow or z-index of the body affects it.
 * The attribute keeps react-aria from hiding it, and tells our styles that this box is ours, not the merchant's.
 */
export function createLayerHost(): HTMLElement {
  const host = dom.createElement('offer-let-layer');
  host.setAttribute('data-react-aria-top-layer', 'true');
  return dom.documentElement.appendChild(host);
}

/**
 * Stops the page behind a layer from scrolling, and returns a function that lets it scroll again.
 * It uses a stylesheet, not an attribute: html stays as it was byte for byte, strict CSPs allow it, and two layers don't conflict.
 * A page that removes the layer itself scrolls again.
 */
export function lockScroll(): () => void {
  const hasScrollbar = innerWidth > dom.documentElement.clientWidth;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `html:has(>offer-let-layer){overflow:hidden!important;${hasScrollbar ? 'scrollbar-gutter:stable!important' : ''}}`,
  );
  dom.adoptedStyleSheets = [...dom.adoptedStyleSheets, sheet];
  return () => {
    dom.adoptedStyleSheets = dom.adoptedStyleSheets.filter((other) => other !== sheet);
  };
}

/** The element of a layer and how it is dismissed. */
interface LayerOptions {
  element: HTMLElement;
  ignoresInput(): boolean;
  dismiss: WidgetView['dismiss'];
}

/** Opens a layer above the page. Returns a function that closes it. */
export function openLayer(layer: Layer, options: LayerOptions): () => void {
  return layer === 'dialog' ? openDialog(options) : openSheet(options);
}

/** Opens the layer in front of the page and returns a function that closes it. */
function openDialog({ element, ignoresInput, dismiss }: LayerOptions): () => void {
  const dialog = element as HTMLDialogElement;
  dialog.addEventListener('cancel', () => dismiss('escape'));
  // Something else closed it, such as the platform's back gesture.
  dialog.addEventListener('close', () => dismiss('escape'));
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog && !ignoresInput()) dismiss('backdrop');
  });
  addEventListener('keydown', keepTab, true);
  dialog.showModal();
  // An observer does it a frame too late for the height below: where the layer was would depend on the browser's haste.
  dialog.querySelectorAll('.words').forEach(offerRest);
  const groups = [...dialog.querySelectorAll<HTMLElement>('.group')];
  const height = groups.reduce((sum, { offsetHeight }) => sum + offsetHeight, 0);
  // Once, so that what is above the offers stays where it is from one offer to the next. Not by a custom property: the styles of
  // everything inside would be computed again.
  const middle = `${50 - (50 * height) / innerHeight}dvh`;
  const isWindow = dialog.matches('.fullscreen');
  const box = isWindow ? groups[0] : groups[0]?.parentElement;
  if (box) box.style.marginTop = isWindow ? `max(0px,${middle} - 56px)` : `clamp(16px,${middle} - 52px,32dvh)`;
  dialog.querySelector<HTMLElement>('#title')?.focus({ preventScroll: true });
  dialog.scrollTop = 0; // the badge above the heading stays in view
  return () => {
    removeEventListener('keydown', keepTab, true);
    dialog.close(); // returns the focus to the element that had it
  };

  /** Hides Tab from pages that trap the focus: they would move it back to themselves. */
  function keepTab(event: KeyboardEvent): void {
    if (event.key === 'Tab' && event.composedPath().includes(dialog)) event.stopPropagation();
  }
}

/** Opens the pull-up above the page without taking the focus. Returns a function that closes it. */
function openSheet({ element, ignoresInput, dismiss }: LayerOptions): () => void {
  const handle = element.querySelector<HTMLElement>('.handle');
  let focusBefore: HTMLElement | undefined;

  element.addEventListener('focusin', ({ relatedTarget }) => {
    if (relatedTarget instanceof HTMLElement && !element.contains(relatedTarget)) focusBefore = relatedTarget;
    // A press focuses as well: what it is meant for must not move before it ends.
    if (element.querySelector('a:focus-visible')) expand();
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
      tapped: () => (element.hasAttribute('data-peek') ? expand() : peek()),
      pulledUp: expand,
      pulledDown() {
        if (ignoresInput()) return false;
        dismiss('drag');
        return true;
      },
    });
  }
  peek();
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
      const isCovered = (): boolean => {
        const box = element.getBoundingClientRect();
        return bottom > box.top && right > box.left && left < box.right;
      };
      if (isCovered()) peek();
      if (isCovered()) peek('0');
    });
  }

  /** Undoes a collapse to nothing: the element that was in the way of the peek has lost the focus. */
  function showPeek(): void {
    if (element.getAttribute('data-peek') === '0') peek();
  }

  function peek(height = ''): void {
    element.setAttribute('data-peek', height);
    handle?.setAttribute('aria-expanded', 'false');
  }

  function expand(): void {
    element.removeAttribute('data-peek');
    handle?.setAttribute('aria-expanded', 'true');
  }
}

/** The fraction of its height by which a sheet must be dragged down to close. */
const CLOSE_FRACTION = 0.25;
/** Pixels per millisecond of a flick that closes it over any distance. */
const FLICK_SPEED = 0.4;
/** Pixels that a finger may move during a tap. */
const TAP_PX = 6;

/** The two elements, and what to call when a gesture ends. */
interface DragOptions {
  handle: HTMLElement;
  sheet: HTMLElement;
  tapped(): void;
  pulledUp(): void;
  /** Returns whether the sheet is being closed. */
  pulledDown(): boolean;
}

/** Lets the handle drag the sheet. A press without a drag, by finger, mouse or key, is a tap. */
function dragSheet({ handle, sheet, tapped, pulledUp, pulledDown }: DragOptions): void {
  let from: { y: number; at: number } | undefined;
  let moved = 0;

  handle.addEventListener('pointerdown', (event) => {
    if (event.button || !event.isPrimary) return;
    from = { y: event.clientY, at: event.timeStamp };
    moved = 0;
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener('pointermove', (event) => {
    if (!from) return;
    // A context menu has taken the release.
    if (!event.buttons) return release();
    moved = event.clientY - from.y;
    sheet.style.transition = 'none';
    sheet.style.translate = moved > 0 ? `0 ${moved}px` : '';
    if (moved < -TAP_PX) pulledUp();
  });
  handle.addEventListener('pointerup', (event) => {
    if (!from) return;
    const speed = moved / Math.max(1, event.timeStamp - from.at);
    // The exit animation continues from where the sheet was released.
    if (moved > TAP_PX && (moved > sheet.offsetHeight * CLOSE_FRACTION || speed > FLICK_SPEED) && pulledDown()) return;
    release();
  });
  handle.addEventListener('pointercancel', release);
  handle.addEventListener('click', () => {
    if (Math.abs(moved) <= TAP_PX) tapped();
  });

  function release(): void {
    from = undefined;
    // After a drag by finger there is no click.
    setTimeout(() => (moved = 0));
    sheet.style.transition = '';
    sheet.style.translate = '';
  }
}
