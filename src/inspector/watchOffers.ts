import { dom } from '../dom/dom.ts';

/** What is seen of one offer now, measured by the inspector alone: it asks the browser itself, so nothing of ours is slowed or hurried. */
export interface Sight {
  readonly element: Element;
  readonly heading: string;
  /** Visible share, 0 to 1. */
  readonly share: number;
  /** The share that a view needs. */
  readonly needed: number;
  /** Milliseconds of enough of it, without a break, until now. */
  readonly ms: number;
  /** The longest of these so far. */
  readonly longestMs: number;
}

/** Square pixels above which 30 % is enough. */
const LARGE_AREA = 242_500;
const THRESHOLDS = [...Array(51).keys()].map((step) => step / 50);

interface Watched {
  readonly element: Element;
  entry: IntersectionObserverEntry | undefined;
  since: number | undefined;
  longestMs: number;
}

/** Watches the offers that stand in some shadow roots. */
export interface OfferWatch {
  /** What is seen of each offer at this moment. */
  look(hosts: Iterable<Element>): Sight[];
  stop(): void;
}

/** Begins to watch. */
export function watchOffers(): OfferWatch {
  const all = new Map<Element, Watched>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const watched = all.get(entry.target);
        if (!watched) continue;
        watched.entry = entry;
        judge(watched, entry.time);
      }
    },
    { threshold: THRESHOLDS },
  );

  function judge(watched: Watched, now: number): void {
    const isEnough = shareOf(watched) > 0 && shareOf(watched) + 0.001 >= neededOf(watched) && isShown(watched.element);
    watched.since = isEnough ? (watched.since ?? now) : undefined;
    if (watched.since !== undefined) watched.longestMs = Math.max(watched.longestMs, now - watched.since);
  }

  return {
    look(hosts) {
      const cards = new Set(
        [...hosts].flatMap((host) => [...(host.shadowRoot?.querySelectorAll('article:not([inert])') ?? [])]),
      );
      for (const card of cards) {
        if (all.has(card)) continue;
        all.set(card, { element: card, entry: undefined, since: undefined, longestMs: 0 });
        observer.observe(card);
      }
      for (const [card] of all) {
        if (cards.has(card)) continue;
        all.delete(card);
        observer.unobserve(card);
      }
      const now = performance.now();
      return [...all.values()].map((watched) => {
        judge(watched, now);
        const { element, since, longestMs } = watched;
        return {
          element,
          heading: element.querySelector('[part~=heading]')?.textContent ?? '',
          share: isShown(element) ? shareOf(watched) : 0,
          needed: neededOf(watched),
          ms: since === undefined ? 0 : Math.max(0, now - since),
          longestMs,
        };
      });
    },
    stop: () => observer.disconnect(),
  };
}

function shareOf({ entry }: Watched): number {
  return entry?.isIntersecting ? entry.intersectionRatio : 0;
}

/** Half of it; of a large one 30 %; of one that cannot fit the viewport half of what the viewport can hold of it. */
function neededOf({ entry, element }: Watched): number {
  const { width, height } = element.getBoundingClientRect();
  const area = width * height || 1;
  const view = entry?.rootBounds ?? { width: innerWidth, height: innerHeight };
  const most = Math.min(width, view.width) * Math.min(height, view.height);
  return Math.min(area * (area > LARGE_AREA ? 0.3 : 0.5), most / 2) / area;
}

function isShown(element: Element): boolean {
  return (
    dom.visibilityState === 'visible' &&
    (element.checkVisibility?.({ opacityProperty: true, visibilityProperty: true }) ?? true)
  );
}
