/**
 * The element that a layer hangs on, outside the body: no transform, overflow or z-index of the page reaches it there.
 * Its attribute keeps react-aria pages from hiding it and tells our styles that this box is ours, not the merchant's.
 */
export function createLayerHost(document: Document): HTMLElement {
  const host = document.createElement('offer-let-layer');
  host.setAttribute('data-react-aria-top-layer', 'true');
  return document.documentElement.appendChild(host);
}
