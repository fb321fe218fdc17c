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
  /** Watches the element that shows a subject. `null` stops watching. */
  watch(subject: unknown, element: Element | null, onSeen: OnSeen): void;
  close(): void;
}

/** Creates a watcher on this page's viewport. */
export function watchSeen(): Watcher {
  const all = new Map<unknown, Watched>();
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
      if (watched.entry?.isIntersecting && !amountIn(watched.entry)) {
        observer.unobserve(watched.element); // to observe what is already observed does nothing
        observer.observe(watched.element);
      }
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

  return {
    watch(subject, element, onSeen) {
      const before = all.get(subject);
      if (before) observer.unobserve(before.element);
      all.delete(subject);
      if (!element) return;
      all.set(subject, { element, onSeen, visibility: { reached: 0 } });
      observer.observe(element);
    },
    close() {
      clearTimeout(timer);
      all.clear();
      observer.disconnect();
      dom.removeEventListener('visibilitychange', sampleAll);
    },
  };
}
