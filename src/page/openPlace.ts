import { unclobbered } from '../dom/dom.ts';
import type { PageEvent } from '../session/events.ts';

/** Milliseconds in which reserved space closes up after the shopper's last click. */
const COLLAPSE_MS = 200;

/** The merchant's element for the offers of one mount. */
export interface Place {
  /** Keeps the element's `data-offerlet` up to date, and releases the space that is not filled. */
  follow(event: PageEvent): void;
  /** Leaves the element as it was. */
  restore(): void;
}

/**
 * Marks the element with `data-offerlet="rendered"`, `"empty"` or `"closed"`. Reserved space (`min-block-size`) that the
 * offers do not fill collapses at once when the shopper closes them, otherwise as soon as it is out of view: nothing
 * visible moves.
 */
export function openPlace(find: () => Element | undefined): Place {
  let held: string | undefined;
  let undo = (): void => {};

  function mark(element: Element, state: string, isShopper: boolean): void {
    undo();
    const place = unclobbered(element);
    const height = getComputedStyle(element).blockSize;
    let animation: Animation | undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry || entry.isIntersecting) return;
      // Above the view, the browser must hold in place what is visible: not every browser does.
      if (entry.boundingClientRect.top > 0 || CSS.supports('overflow-anchor:auto')) collapse(0);
    });

    place.setAttribute('data-offerlet', state);
    if (isShopper) collapse(matchMedia('(prefers-reduced-motion:reduce)').matches ? 0 : COLLAPSE_MS);
    else observer.observe(element);
    undo = () => {
      observer.disconnect();
      animation?.cancel();
      place.removeAttribute('data-offerlet');
    };

    /** An animation overrides the merchant's rule without touching the element's attributes. */
    function collapse(duration: number): void {
      observer.disconnect();
      animation = place.animate({ minBlockSize: [height, '0px'] }, { duration, easing: 'ease', fill: 'forwards' });
    }
  }

  return {
    restore() {
      held = undefined;
      undo();
    },
    follow(event) {
      const isClosed = event.type === 'dismiss';
      const element = (isClosed || event.type === 'outcome') && find();
      const isRendered = event.type === 'outcome' && event.code === 'rendered';
      // What ends after it was closed stays closed.
      const state = isRendered ? 'rendered' : isClosed || held === 'closed' ? 'closed' : 'empty';
      if (element && state !== held) mark(element, (held = state), isClosed && event.by !== 'page');
    },
  };
}
