import { unclobbered } from '../../dom/dom.ts';

/** Whether an element in the viewport is painted: neither it nor any of its ancestors is hidden or transparent. */
export function isPainted(element: Element): boolean {
  let opacity = getComputedStyle(element).visibility === 'visible' ? 1 : 0;
  for (let at: Element | undefined = element; at && opacity > 0; at = parentOf(at)) {
    const style = getComputedStyle(at);
    // Nobody sees an opacity below 0.1; fraudulent pages use 0.01.
    opacity = style.filter.includes('opacity(0)') ? 0 : opacity * Number(style.opacity || 1);
  }
  return opacity >= 0.1;
}

function parentOf(element: Element): Element | undefined {
  const { assignedSlot, parentElement, getRootNode } = unclobbered(element);
  const root = getRootNode();
  return assignedSlot ?? parentElement ?? (root instanceof ShadowRoot ? root.host : undefined);
}
