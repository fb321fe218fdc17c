import { dom } from '../../dom/dom.ts';
import { isPainted } from './isPainted.ts';
import { amountSeen, judge, type Amount, type Sight } from './judgeVisibility.ts';

/** Milliseconds between two looks: opacity and visibility change without telling anybody. */
const LOOK_MS = 50;
/** A notice at every hundredth of an element, so that any share of any size is met. */
const THRESHOLDS = [...Array(101).keys()].map((percent) => percent / 100);

/** Called once when something of it was seen (`display`) and once when it was seen long enough (`view`). */
export type OnSeen = (what: 'display' | 'view') => void;

interface Watched {
  readonly element: Element;
  readonly onSeen: OnSeen;
  sight: Sight;
  entry?: IntersectionObserverEntry;
}

/** Watches elements and tells when each was displayed and viewed. It looks only while something is still to be learnt. */
export interface Watcher {
  /** Watches an element under a name, instead of what was watched under it before; `null` lets go. */
  watch(name: string, element: Element | null, onSeen: OnSeen): void;
  close(): void;
}

/** A `Watcher` on this page's viewport. */
export function watchSeen(): Watcher {
  const all = new Map<string, Watched>();
  const leaving = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        for (const watched of all.values()) {
          if (watched.element !== entry.target) continue;
          watched.entry = entry;
          // The moment of the change, not of its delivery: a busy page delivers late.
          look(watched, entry.time);
        }
      }
      lookOn();
    },
    { threshold: THRESHOLDS },
  );
  dom.addEventListener('visibilitychange', lookAtAll);

  function look(watched: Watched, now: number): void {
    const { element, onSeen, sight } = watched;
    if (sight.reached > 1) return;
    const amount = amountIn(watched);
    const isSeen = amount > 0 && dom.visibilityState === 'visible' && isPainted(element);
    const { reached } = (watched.sight = judge(sight, isSeen ? amount : 0, now));
    if (reached > 0 && !sight.reached) onSeen('display');
    if (reached > 1) onSeen('view');
  }

  function lookAtAll(): void {
    for (const watched of all.values()) {
      // An element without area counts as wholly in view, so that its growing crosses no threshold: ask anew.
      if (watched.entry?.isIntersecting && !amountIn(watched)) observe(watched.element);
      look(watched, performance.now());
    }
    lookOn();
  }

  /** What was displayed and shows too little of itself can only change by moving, and that the observer tells. */
  function lookOn(): void {
    clearTimeout(timer);
    const isOpen = [...all.values()].some(
      (watched) =>
        watched.entry?.isIntersecting && watched.sight.reached < 2 && (!watched.sight.reached || amountIn(watched) > 1),
    );
    if (isOpen && dom.visibilityState === 'visible') timer = setTimeout(lookAtAll, LOOK_MS);
  }

  function observe(element: Element): void {
    observer.unobserve(element); // observing what it observes would stay silent
    observer.observe(element);
  }

  function release(name: string): void {
    const element = all.get(name)?.element;
    all.delete(name);
    if (element && ![...all.values()].some((watched) => watched.element === element)) observer.unobserve(element);
  }

  return {
    watch(name, element, onSeen) {
      if (!element) {
        // A framework lets go and takes hold again in one task: that must not break a running second.
        leaving.add(name);
        queueMicrotask(() => leaving.delete(name) && release(name));
        return;
      }
      leaving.delete(name);
      if (all.get(name)?.element === element) return;
      release(name);
      all.set(name, { element, onSeen, sight: { reached: 0 } });
      observe(element);
    },
    close() {
      clearTimeout(timer);
      all.clear();
      observer.disconnect();
      dom.removeEventListener('visibilitychange', lookAtAll);
    },
  };
}

function amountIn({ entry }: Watched): Amount {
  if (!entry?.isIntersecting) return 0;
  // In a foreign frame the page's viewport is not ours to know.
  const viewport = entry.rootBounds ?? { width: innerWidth, height: innerHeight };
  return amountSeen(entry.boundingClientRect, entry.intersectionRect, viewport);
}
