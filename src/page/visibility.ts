import { VIEW_MS } from '../wire/limits.ts';
import { dom, isPainted } from '../dom/dom.ts';

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

/** Returns how much of an element the latest entry of an observer says is in the viewport, painted or not. */
export function amountIn(entry: IntersectionObserverEntry | undefined): Amount {
  return entry?.isIntersecting ? amountSeen(entry.boundingClientRect, entry.intersectionRect, viewportOf(entry)) : 0;
}

/** Returns how much of an element is visible now: nothing while it is not painted or the page is hidden. */
export function amountSeenOf(element: Element, entry: IntersectionObserverEntry | undefined): Amount {
  const amount = amountIn(entry);
  return amount > 0 && dom.visibilityState === 'visible' && isPainted(element) ? amount : 0;
}

/** Returns the viewport of an entry. In a cross-origin frame the page's viewport is unknown. */
export function viewportOf(entry: IntersectionObserverEntry | undefined): Size {
  return entry?.rootBounds ?? { width: innerWidth, height: innerHeight };
}

/** Square pixels above which 30 % of an offer is enough for a view: the size of a 970 × 250 display ad. */
const LARGE_AREA = 242_500;

/** Width and height in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the area of a box that must be visible for a view. If it does not fit the viewport, half of the part that fits is enough. */
export function requiredArea(box: Size, viewport: Size): number {
  const area = box.width * box.height;
  const most = Math.min(box.width, viewport.width) * Math.min(box.height, viewport.height);
  return Math.min(area * (area > LARGE_AREA ? 0.3 : 0.5), most / 2);
}
