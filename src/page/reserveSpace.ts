import { dom, unclobbered } from '../dom/dom.ts';
import type { PageEvent } from '../session/openTrace.ts';

/** Milliseconds in which reserved space closes up in view. */
const COLLAPSE_MS = 200;
/** Milliseconds without input after which empty space closes up in view: nobody is about to click what moves. */
const IDLE_MS = 4000;
/** Input that says that the shopper is doing something on the page. */
const INPUT = ['pointermove', 'pointerdown', 'keydown', 'scroll'];

/** The space that the merchant's element reserves for the offers of one mount. */
interface ReservedSpace {
  /** Keeps the element's `data-offerlet` up to date, and releases the space that is not filled. */
  update(event: PageEvent): void;
  /** Leaves the element as it was. */
  restore(): void;
}

/**
 * Marks the element with `data-offerlet="rendered"`, `"empty"` or `"closed"`. Offers fill the space that is reserved for them
 * (`min-block-size`). Without offers it collapses at once when the shopper closed them, otherwise once nobody sees it, so that
 * nothing visible moves, or in view once the shopper has been idle.
 */
export function reserveSpace(find: () => Element | undefined): ReservedSpace {
  let held: string | undefined;
  let undo = (): void => {};

  function mark(element: Element, state: string, isShopper: boolean): void {
    undo();
    const place = unclobbered(element);
    const height = getComputedStyle(element).blockSize;
    let animation: Animation | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (!entry || entry.isIntersecting) return;
      // Above the view, the browser must hold in place what is visible: not every browser does.
      if (entry.boundingClientRect.top > 0 || CSS.supports('overflow-anchor:auto')) collapse(0);
    });

    place.setAttribute('data-offerlet', state);
    if (isShopper) collapseInView();
    else if (state !== 'rendered') {
      observer.observe(element);
      for (const type of INPUT) dom.addEventListener(type, waitUntilIdle, true);
      dom.addEventListener('visibilitychange', collapseUnseen);
      waitUntilIdle();
    }
    undo = () => {
      unwatch();
      // Not cancel(): its AbortError is nobody's to handle, and happy-dom reports it.
      if (animation) animation.effect = null;
      place.removeAttribute('data-offerlet');
    };

    function waitUntilIdle(): void {
      clearTimeout(timer);
      timer = setTimeout(collapseInView, IDLE_MS);
    }

    function collapseUnseen(): void {
      if (dom.visibilityState === 'hidden') collapse(0);
    }

    function collapseInView(): void {
      collapse(matchMedia('(prefers-reduced-motion:reduce)').matches ? 0 : COLLAPSE_MS);
    }

    /** An animation overrides the merchant's rule without touching the element's attributes. */
    function collapse(duration: number): void {
      unwatch();
      animation = place.animate({ minBlockSize: [height, '0px'] }, { duration, easing: 'ease', fill: 'forwards' });
    }

    function unwatch(): void {
      clearTimeout(timer);
      observer.disconnect();
      for (const type of INPUT) dom.removeEventListener(type, waitUntilIdle, true);
      dom.removeEventListener('visibilitychange', collapseUnseen);
    }
  }

  return {
    restore() {
      held = undefined;
      undo();
    },
    update(event) {
      const isClosed = event.type === 'dismiss';
      const element = (isClosed || event.type === 'outcome') && find();
      const isRendered = event.type === 'outcome' && event.code === 'rendered';
      // What ends after it was closed stays closed.
      const state = isRendered ? 'rendered' : isClosed || held === 'closed' ? 'closed' : 'empty';
      if (element && state !== held) mark(element, (held = state), isClosed && event.by !== 'page');
    },
  };
}
