import { dom, isPainted, requiredArea, type Size } from '../dom/dom.ts';
import { VIEW_MS } from '../wire/limits.ts';

/** Browsers round rectangles to device pixels: a half may arrive as 49.95 %. */
const ROUNDING = 0.001;

/** How visible an element is in one sample: not at all, partly, or enough for a view. */
export type Amount = 0 | 1 | 2;

/** What is known of one element so far. */
export interface Visibility {
  /** 0: not displayed, 1: displayed, 2: viewed. */
  readonly reached: Amount;
  /** When the visibility that may become a view began. */
  readonly since?: number;
  /** When the latest sample was taken. */
  readonly last?: number;
}

/** Returns how visible a box is. */
export function amountSeen(box: Size, visible: Size, viewport: Size): Amount {
  const seen = visible.width * visible.height;
  const rounding = box.width * box.height * ROUNDING;
  return seen > 0 ? (seen + rounding >= requiredArea(box, viewport) ? 2 : 1) : 0;
}

/**
 * Returns what is known after one more sample at `now`. A view needs a second of samples that all show enough, at most a
 * second apart: a frozen tab proves nothing. See docs/project/wire.md#viewability.
 */
export function judgeVisibility(before: Visibility, amount: Amount, now: number): Visibility {
  const { reached, since = Infinity, last = 0 } = before;
  const atLeast = reached || (amount > 0 ? 1 : 0);
  if (amount < 2) return { reached: atLeast };
  const start = now - last > VIEW_MS ? now : Math.min(since, now);
  return { reached: now - start < VIEW_MS ? atLeast : 2, since: start, last: now };
}

/** Milliseconds between samples: nothing reports changes of opacity and visibility. */
const SAMPLE_MS = 50;
/** Every hundredth of an element, so that any share of any size is reported. */
const THRESHOLDS = [...Array(101).keys()].map((percent) => percent / 100);

/** Called once when an element was displayed, and once when it was viewed. */
type OnSeen = (what: 'display' | 'view') => void;

interface Watched {
  readonly element: Element;
  readonly onSeen: OnSeen;
  visibility: Visibility;
  entry?: IntersectionObserverEntry;
}

/** Reports when elements are displayed and viewed. It samples only while there is something left to report. */
interface Watcher {
  /** Watches an element under a name, in place of the one before. `null` stops watching. */
  watch(name: string, element: Element | null, onSeen: OnSeen): void;
  close(): void;
}

/** Creates a watcher on this page's viewport. */
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
          // When it changed, not when that was delivered: a busy page delivers late.
          sample(watched, entry.time);
        }
      }
      sampleLater();
    },
    { threshold: THRESHOLDS },
  );
  dom.addEventListener('visibilitychange', sampleAll);

  function sample(watched: Watched, now: number): void {
    const { element, onSeen, visibility } = watched;
    if (visibility.reached > 1) return;
    const amount = amountIn(watched);
    const isSeen = amount > 0 && dom.visibilityState === 'visible' && isPainted(element);
    const { reached } = (watched.visibility = judgeVisibility(visibility, isSeen ? amount : 0, now));
    if (reached > 0 && !visibility.reached) onSeen('display');
    if (reached > 1) onSeen('view');
  }

  function sampleAll(): void {
    for (const watched of all.values()) {
      // An element without area counts as fully visible, so its growth crosses no threshold. Observe it anew.
      if (watched.entry?.isIntersecting && !amountIn(watched)) observe(watched.element);
      sample(watched, performance.now());
    }
    sampleLater();
  }

  /** A displayed element of which too little is visible can only change by moving, which the observer reports. */
  function sampleLater(): void {
    clearTimeout(timer);
    const isOpen = [...all.values()].some(
      (watched) =>
        watched.entry?.isIntersecting &&
        watched.visibility.reached < 2 &&
        (!watched.visibility.reached || amountIn(watched) > 1),
    );
    if (isOpen && dom.visibilityState === 'visible') timer = setTimeout(sampleAll, SAMPLE_MS);
  }

  function observe(element: Element): void {
    observer.unobserve(element); // to observe what is already observed does nothing
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
        // A framework may remove and set a ref in one task. That must not interrupt a running second.
        leaving.add(name);
        queueMicrotask(() => leaving.delete(name) && release(name));
        return;
      }
      leaving.delete(name);
      if (all.get(name)?.element === element) return;
      release(name);
      all.set(name, { element, onSeen, visibility: { reached: 0 } });
      observe(element);
    },
    close() {
      clearTimeout(timer);
      all.clear();
      observer.disconnect();
      dom.removeEventListener('visibilitychange', sampleAll);
    },
  };
}

function amountIn({ entry }: Watched): Amount {
  if (!entry?.isIntersecting) return 0;
  // In a cross-origin frame the page's viewport is unknown.
  const viewport = entry.rootBounds ?? { width: innerWidth, height: innerHeight };
  return amountSeen(entry.boundingClientRect, entry.intersectionRect, viewport);
}
