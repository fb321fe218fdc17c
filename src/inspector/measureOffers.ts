import { amountSeenOf, judgeVisibility, requiredArea, viewportOf, type Visibility } from '../page/visibility.ts';

/** How much of one offer is visible, by the page's own formula. Looking does not change what is reported. */
export interface OfferVisibility {
  readonly element: Element;
  readonly heading: string;
  /** Visible share, 0 to 1. */
  readonly share: number;
  /** The share that counts towards a view. */
  readonly requiredShare: number;
  /** Milliseconds for which enough of it has been visible without interruption. */
  readonly ms: number;
  readonly isViewed: boolean;
}

interface Measured {
  entry?: IntersectionObserverEntry;
  visibility: Visibility;
}

const THRESHOLDS = [...Array(51).keys()].map((step) => step / 50);

/** Starts to measure how much of each offer is visible. Returns a function that says it of the offers in shadow roots now. */
export function measureOffers(): (hosts: readonly Element[]) => OfferVisibility[] {
  const all = new Map<Element, Measured>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        const measured = all.get(entry.target);
        if (!measured) continue;
        measured.entry = entry;
        sample(entry.target, measured, entry.time);
      }
    },
    { threshold: THRESHOLDS },
  );

  /** Observes the cards that are on the page now, and no others. */
  function follow(cards: ReadonlySet<Element>): void {
    for (const card of all.keys()) {
      if (cards.has(card)) continue;
      all.delete(card);
      observer.unobserve(card);
    }
    for (const card of cards) {
      if (all.has(card)) continue;
      all.set(card, { visibility: { reached: 0 } });
      observer.observe(card);
    }
  }

  return (hosts) => {
    const now = performance.now();
    follow(new Set(hosts.flatMap((host) => [...(host.shadowRoot?.querySelectorAll('article:not([inert])') ?? [])])));
    return [...all].map(([element, measured]) => ({ element, ...sample(element, measured, now) }));
  };
}

function sample(element: Element, measured: Measured, now: number): Omit<OfferVisibility, 'element'> {
  const { entry } = measured;
  const amount = amountSeenOf(element, entry);
  const { reached, since = now } = (measured.visibility = judgeVisibility(measured.visibility, amount, now));
  const box = element.getBoundingClientRect();
  return {
    heading: element.querySelector('[part~=heading]')?.textContent ?? '',
    share: amount > 0 ? (entry?.intersectionRatio ?? 0) : 0,
    requiredShare: requiredArea(box, viewportOf(entry)) / (box.width * box.height || 1),
    ms: Math.max(0, now - since),
    isViewed: reached > 1,
  };
}
