import type { LayerOptions } from './openLayer.ts';

/** Opens the pull-up: above the page, not in its way, and it takes no focus. */
export function openSheet({ element, dismiss }: LayerOptions): () => void {
  let cameFrom: HTMLElement | undefined;
  element.addEventListener('focusin', ({ relatedTarget }) => {
    if (relatedTarget instanceof HTMLElement && relatedTarget.getRootNode() !== element.getRootNode()) cameFrom = relatedTarget;
  });
  element.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    dismiss('escape');
  });
  element.showPopover();
  return () => {
    const hasFocus = element.matches(':focus-within');
    element.hidePopover();
    if (hasFocus) cameFrom?.focus();
  };
}
