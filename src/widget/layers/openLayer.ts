import type { DisplayMode } from '../../wire/offers/request.ts';
import type { LayerOptions } from './layerOptions.ts';
import { openSheet } from './openSheet.ts';

/** Opens the layer of a mode and returns a function that closes it; INLINE has no layer. */
export function openLayer({ mode, ...layer }: LayerOptions & { mode: DisplayMode }): () => void {
  if (mode === 'INLINE') return () => {};
  return mode === 'PULLUP' ? openSheet(layer) : openDialog(layer);
}

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
