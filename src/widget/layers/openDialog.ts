import { dom } from '../../dom/dom.ts';
import { offerRest } from '../OfferCard.tsx';
import type { LayerOptions } from './openSheet.ts';

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

/** Opens the layer in front of the page and returns a function that closes it. */
export function openDialog({ element, ignoresInput, dismiss }: LayerOptions): () => void {
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
  const top = `${50 - (50 * height) / innerHeight}dvh`;
  const { style } = dialog.querySelector<HTMLElement>('.surface') ?? dialog;
  if (dialog.matches('.overlay')) style.marginTop = `clamp(16px,${top} - 52px,32dvh)`;
  else style.paddingTop = `max(56px,${top} - 16px)`;
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
