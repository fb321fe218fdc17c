import { dom } from '../../dom/dom.ts';

/**
 * Appends the host element of a layer to <html>, where no transform, overflow or z-index of the body affects it.
 * The attribute keeps react-aria from hiding it, and tells our styles that this box is ours, not the merchant's.
 */
export function createLayerHost(): HTMLElement {
  const host = dom.createElement('offer-let-layer');
  host.setAttribute('data-react-aria-top-layer', 'true');
  return dom.documentElement.appendChild(host);
}
