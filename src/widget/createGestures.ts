import { DOUBLE_CLICK_MS } from '../wire/limits.ts';

/** Milliseconds after a layer opens during which clicks are ignored: they were meant for the page behind it. */
const SETTLE_MS = 400;

/** Cancels clicks that do not count, before a link is opened twice. The session counts double clicks once, widget or not. */
export interface Gestures {
  /** Whether the layer has only just opened. */
  ignoresInput(): boolean;
  /** Listens for clicks that do not count, cancels them and hides them from everybody else. */
  filter(event: MouseEvent): void;
}

/** Creates the click filter of one mounted widget. */
export function createGestures(isLayer: boolean, now: () => number = () => performance.now()): Gestures {
  const openedAt = isLayer ? now() : -SETTLE_MS;
  const clickedAt = new WeakMap<Element, number>();

  function ignoresInput(): boolean {
    return now() - openedAt < SETTLE_MS;
  }

  function isDoubleClick(control: Element): boolean {
    const before = clickedAt.get(control) ?? -DOUBLE_CLICK_MS;
    clickedAt.set(control, now());
    return now() - before < DOUBLE_CLICK_MS;
  }

  return {
    ignoresInput,
    filter(event) {
      // What opens and closes in place may be clicked as fast as the shopper likes.
      const control = (event.target as Element).closest('a,button:not([aria-expanded])');
      if (!control || event.button > 1) return;
      const isEarly = control.localName === 'a' && ignoresInput();
      // After a step the second click of a double click hits another control: only `detail` tells.
      if (!isEarly && event.detail < 2 && !isDoubleClick(control)) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
