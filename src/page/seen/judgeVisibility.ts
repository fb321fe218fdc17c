/** Milliseconds of uninterrupted sight that make a view. */
const VIEW_MS = 1_000;
/** Square pixels above which 30 % is enough: the size of a 970 × 250 display ad. */
const LARGE_AREA = 242_500;
/** Browsers round rectangles to device pixels: a half may arrive as 49.95 %. */
const ROUNDING = 0.001;

/** Width and height in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Nothing of it, something, or enough of it for long enough; of one look: nothing, something, or enough. */
export type Amount = 0 | 1 | 2;

/** What is known of one element so far. `since`: when the sight that may become a view began; `last`: the latest look at it. */
export interface Sight {
  readonly reached: Amount;
  readonly since?: number;
  readonly last?: number;
}

/** How much of a box can be seen. What cannot fit the viewport needs half of what the viewport could hold of it. */
export function amountSeen(box: Size, visible: Size, viewport: Size): Amount {
  const area = box.width * box.height;
  const seen = visible.width * visible.height;
  const most = Math.min(box.width, viewport.width) * Math.min(box.height, viewport.height);
  const needed = Math.min(area * (area > LARGE_AREA ? 0.3 : 0.5), most / 2);
  return seen > 0 ? (seen + area * ROUNDING >= needed ? 2 : 1) : 0;
}

/**
 * What is known after one more look at `now`. A view needs enough of it in every look of one second,
 * and looks no more than a second apart: a frozen tab proves nothing.
 */
export function judge({ reached, since = Infinity, last = 0 }: Sight, amount: Amount, now: number): Sight {
  const atLeast = reached || (amount > 0 ? 1 : 0);
  if (amount < 2) return { reached: atLeast };
  const start = now - last > VIEW_MS ? now : Math.min(since, now);
  return { reached: now - start < VIEW_MS ? atLeast : 2, since: start, last: now };
}
