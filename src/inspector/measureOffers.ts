import { dom, isPainted, requiredArea } from '../dom/dom.ts';

/** How much of one offer is visible, measured by the inspector alone, so that looking does not change what is reported. */
export interface OfferVisibility {
  readonly element: Element;
  readonly heading: string;
  /** Visible share, 0 to 1. */
  readonly share: number;
  /** The share that counts towards a view. */
  readonly requiredShare: number;
  /** Milliseconds for which enough of it has been visible without interruption. */
  readonly ms: number;
  /** The longest such time so far. */
  readonly longestMs: number;
}

const THRESHOLDS = [...Array(51).keys()].map((step) => step / 50);

interface Measured {
  readonly element: Element;
  entry: IntersectionObserverEntry | undefined;
  since: number | undefined;
  longestMs: number;
}

/** Starts to measure how much of each offer is visible. Returns a function that says it of the offers in shadow roots now. */
export function measureOffers(): (hosts: readonly Element[]) => OfferVisibility[] {
  const all = new Map<Element, Measured>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const measured = all.get(entry.target);
        if (!measured) continue;
        measured.entry = entry;
        advance(measured, entry.time);
      }
    },
    { threshold: THRESHOLDS },
  );

  /** Observes the cards that are on the page now, and no others. */
  function follow(cards: ReadonlySet<Element>): void {
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
  }

  return (hosts) => {
    follow(
      new Set(hosts.flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll('article:not([inert])') ?? [])])),
    );
    const now = performance.now();
    return [...all.values()].map((measured) => {
      advance(measured, now);
      const { element, since, longestMs } = measured;
      return {
        element,
        heading: element.querySelector('[part~=heading]')?.textContent ?? '',
        share: isShown(element) ? shareOf(measured) : 0,
        requiredShare: requiredShareOf(measured),
        ms: since === undefined ? 0 : Math.max(0, now - since),
        longestMs,
      };
    });
  };
}

/** Continues or interrupts the time for which enough of an offer is visible. */
function advance(measured: Measured, now: number): void {
  const share = shareOf(measured);
  const isEnough = share > 0 && share + 0.001 >= requiredShareOf(measured) && isShown(measured.element);
  measured.since = isEnough ? (measured.since ?? now) : undefined;
  if (measured.since !== undefined) measured.longestMs = Math.max(measured.longestMs, now - measured.since);
}

function shareOf({ entry }: Measured): number {
  return entry?.isIntersecting ? entry.intersectionRatio : 0;
}

function requiredShareOf({ entry, element }: Measured): number {
  const box = element.getBoundingClientRect();
  return (
    requiredArea(box, entry?.rootBounds ?? { width: innerWidth, height: innerHeight }) / (box.width * box.height || 1)
  );
}

function isShown(element: Element): boolean {
  return dom.visibilityState === 'visible' && isPainted(element);
}
