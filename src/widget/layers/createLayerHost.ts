/**
 * Appends the host element of a layer to <html>, where no transform, overflow or z-index of the body affects it.
 * The attribute keeps react-aria from hiding it, and tells our styles that this box is ours, not the merchant's.
 */
export function createLayerHost(document: Document): HTMLElement {
  const host = document.createElement('offer-let-layer');
  host.setAttribute('data-react-aria-top-layer', 'true');
  return document.documentElement.appendChild(host);
}
