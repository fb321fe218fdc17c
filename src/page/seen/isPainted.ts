import { unclobbered } from '../../dom/unclobbered.ts';

/** Tells whether an element that lies within the viewport is painted at all: not hidden, not transparent, nor anything around it. */
export function isPainted(element: Element): boolean {
  let opacity = getComputedStyle(element).visibility === 'visible' ? 1 : 0;
  for (let at: Element | undefined = element; at && opacity > 0; at = around(at)) {
    const style = getComputedStyle(at);
    // Below a tenth nobody sees it: 0.01 is the trick of those who sell invisible offers.
    opacity = style.filter.includes('opacity(0)') ? 0 : opacity * Number(style.opacity || 1);
  }
  return opacity >= 0.1;
}

function around(element: Element): Element | undefined {
  const { assignedSlot, parentElement, getRootNode } = unclobbered(element);
  const root = getRootNode();
  return assignedSlot ?? parentElement ?? (root instanceof ShadowRoot ? root.host : undefined);
}
