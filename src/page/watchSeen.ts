import { dom } from '../dom/dom.ts';
import { amountIn, amountSeenOf, judgeVisibility, type Visibility } from './visibility.ts';

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
    const { element, entry, onSeen, visibility } = watched;
    if (visibility.reached > 1) return;
    const { reached } = (watched.visibility = judgeVisibility(visibility, amountSeenOf(element, entry), now));
    if (reached > 0 && !visibility.reached) onSeen('display');
    if (reached > 1) onSeen('view');
  }

  function sampleAll(): void {
    for (const watched of all.values()) {
      // An element without area counts as fully visible, so its growth crosses no threshold. Observe it anew.
      if (watched.entry?.isIntersecting && !amountIn(watched.entry)) observe(watched.element);
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
        (!watched.visibility.reached || amountIn(watched.entry) > 1),
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
