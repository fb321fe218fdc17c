import { DOUBLE_CLICK_MS } from '../wire/limits.ts';

/** Milliseconds after a layer opens or an offer follows another during which input is ignored: it was meant for what was there before. */
const SETTLE_MS = 400;

/** Cancels clicks that do not count, before a link is opened twice. The session counts double clicks once, widget or not. */
export interface Gestures {
  /** Whether the backdrop and the handle ignore input now. */
  ignoresInput(): boolean;
  /** Ignores input on `controls`, by default the whole offer, from now on until things have settled. */
  ignoreInput(controls?: string): void;
  /** Listens for clicks that do not count, cancels them and hides them from everybody else. */
  filter(event: MouseEvent): void;
}

/** Creates the click filter of one mounted widget. */
export function createGestures(isLayer: boolean, now: () => number = () => performance.now()): Gestures {
  const clickedAt = new WeakMap<Element, number>();
  let changedAt = isLayer ? now() : -SETTLE_MS;
  /** The controls that ignore input: links in a layer that has just opened, the whole offer after a step. */
  let early = 'a';

  function ignoresInput(): boolean {
    return now() - changedAt < SETTLE_MS;
  }

  function isDoubleClick(control: Element): boolean {
    const before = clickedAt.get(control) ?? -DOUBLE_CLICK_MS;
    clickedAt.set(control, now());
    return now() - before < DOUBLE_CLICK_MS;
  }

  return {
    ignoresInput,
    ignoreInput(controls = '.offer *') {
      changedAt = now();
      early = controls;
    },
    filter(event) {
      // What opens and closes in place may be clicked as fast as the shopper likes.
      const control = (event.target as Element).closest('a,button:not([aria-expanded])');
      if (!control || event.button > 1) return;
      const isEarly = control.matches(early) && ignoresInput();
      // After a step the second click of a double click hits another control: only `detail` tells.
      if (!isEarly && event.detail < 2 && !isDoubleClick(control)) return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
