import { dom } from '../dom/dom.ts';

/** The element that INLINE offers stand in, or `undefined` when there is none. */
export function findPlace(target: string | Element | undefined): Element | undefined {
  try {
    return (typeof target === 'string' ? dom.querySelector(target) : target) ?? undefined;
  } catch {
    return undefined;
  }
}
