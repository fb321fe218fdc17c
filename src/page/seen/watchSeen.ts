import { isPainted } from './isPainted.ts';
import { isEnough, judge, UNSEEN, VIEW_MS, type Scene, type Sight } from './judge.ts';

/** Milliseconds between two looks: opacity and visibility change without telling anybody. */
const LOOK_MS = 100;
/** A notice at every hundredth of an element, so that any share of any size is met. */
const THRESHOLDS = [...Array(101).keys()].map((percent) => percent / 100);

/** Called once when something of it was seen (`display`) and once when it was seen long enough (`view`). */
export type OnSeen = (what: 'display' | 'view') => void;

interface Watched {
  readonly element: Element;
  readonly onSeen: OnSeen;
  scene: Scene | undefined;
  sight: Sight;
}

/** Watches elements and tells when each was displayed and viewed. It looks only while something is still to be learnt. */
export interface Watcher {
  /** Watches an element under a name; what was watched under that name before is let go. `null` lets go. */
  watch(name: string, element: Element | null, onSeen: OnSeen): void;
  close(): void;
}

/** A `Watcher` on this page's viewport. */
export function watchSeen(now: () => number = () => performance.now()): Watcher {
  const all = new Map<string, Watched>();
  const leaving = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;

  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        for (const watched of all.values()) {
          if (watched.element !== entry.target) continue;
          watched.scene = entry.isIntersecting ? sceneOf(entry) : undefined;
          // The moment of the change, not of its delivery: a busy page delivers late.
          look(watched, entry.time);
        }
      }
      lookAgain();
    },
    { threshold: THRESHOLDS },
  );
  document.addEventListener('visibilitychange', lookAtAll);

  function look(watched: Watched, at: number): void {
    const before = watched.sight;
    if (before.isViewed) return;
    const isSeen = watched.scene && document.visibilityState === 'visible' && isPainted(watched.element);
    const { isDisplayed, isViewed } = (watched.sight = judge(before, isSeen ? watched.scene : undefined, at));
    if (isDisplayed && !before.isDisplayed) watched.onSeen('display');
    if (isViewed) watched.onSeen('view');
  }

  function lookAtAll(): void {
    for (const watched of all.values()) {
      look(watched, now());
      // An element without area counts as wholly in view, so that its growing changes no threshold: ask anew.
      if (watched.scene && !(watched.scene.width * watched.scene.height)) observeAnew(watched.element);
    }
    lookAgain();
  }

  function observeAnew(element: Element): void {
    observer.unobserve(element); // a second observe alone would stay silent for an element it knows
    observer.observe(element);
  }

  function lookAgain(): void {
    clearTimeout(timer);
    let wait = Infinity;
    for (const { scene, sight } of all.values()) {
      // What was displayed and shows too little of itself can only change by moving, and that the observer tells.
      if (!scene || sight.isViewed || (sight.isDisplayed && !isEnough(scene))) continue;
      wait = Math.min(wait, LOOK_MS, sight.since === undefined ? LOOK_MS : Math.max(0, sight.since + VIEW_MS - now()));
    }
    if (wait <= LOOK_MS && document.visibilityState === 'visible') timer = setTimeout(lookAtAll, wait);
  }

  function release(name: string): void {
    const watched = all.get(name);
    all.delete(name);
    if (watched && ![...all.values()].some(({ element }) => element === watched.element))
      observer.unobserve(watched.element);
  }

  return {
    watch(name, element, onSeen) {
      if (!element) {
        // A re-render lets go and takes hold again at once: that must not break a running second.
        leaving.add(name);
        queueMicrotask(() => leaving.delete(name) && release(name));
        return;
      }
      leaving.delete(name);
      if (all.get(name)?.element === element) return;
      release(name);
      all.set(name, { element, onSeen, scene: undefined, sight: UNSEEN });
      observeAnew(element);
    },
    close() {
      clearTimeout(timer);
      all.clear();
      observer.disconnect();
      document.removeEventListener('visibilitychange', lookAtAll);
    },
  };
}

function sceneOf({ boundingClientRect, intersectionRect, rootBounds }: IntersectionObserverEntry): Scene {
  return {
    width: boundingClientRect.width,
    height: boundingClientRect.height,
    visibleWidth: intersectionRect.width,
    visibleHeight: intersectionRect.height,
    // In a foreign frame the page's viewport is not ours to know.
    viewportWidth: rootBounds?.width ?? innerWidth,
    viewportHeight: rootBounds?.height ?? innerHeight,
  };
}
