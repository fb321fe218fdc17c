import type { DisplayMode } from '../../wire/offers/request.ts';
import { lockScroll } from './lockScroll.ts';
import { openSheet } from './openSheet.ts';
import type { View } from '../widgetView.ts';

/** What a layer needs to open and to end itself. */
export interface LayerOptions {
  element: HTMLElement;
  isDeaf(): boolean;
  dismiss: View['dismiss'];
}

/** Opens the layer that a mode asks for, and answers how to close it; INLINE has none. */
export function openLayer({ mode, ...layer }: LayerOptions & { mode: DisplayMode }): () => void {
  if (mode === 'INLINE') return () => {};
  return mode === 'PULLUP' ? openSheet(layer) : openDialog(layer);
}

function openDialog({ element, isDeaf, dismiss }: LayerOptions): () => void {
  const dialog = element as HTMLDialogElement;
  const unlock = lockScroll(dialog.ownerDocument);
  dialog.addEventListener('cancel', () => dismiss('escape'));
  // Closed by something else, such as a platform's own back gesture.
  dialog.addEventListener('close', () => dismiss('escape'));
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog && !isDeaf()) dismiss('backdrop');
  });
  addEventListener('keydown', keepTab, true);
  dialog.showModal();
  dialog.querySelector<HTMLElement>('#title')?.focus();
  return () => {
    unlock();
    removeEventListener('keydown', keepTab, true);
    dialog.close(); // gives the focus back to where it was
  };

  /** A page that traps the focus would turn every Tab back into itself. */
  function keepTab(event: KeyboardEvent): void {
    if (event.key === 'Tab' && event.composedPath().includes(dialog)) event.stopPropagation();
  }
}
