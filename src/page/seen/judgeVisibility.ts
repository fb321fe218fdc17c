import { LARGE_AREA, VIEW_MS } from '../../wire/limits.ts';

/** Browsers round rectangles to device pixels: a half may arrive as 49.95 %. */
const ROUNDING = 0.001;

/** Width and height in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

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

/** Returns how visible a box is. If it does not fit the viewport, half of the part that fits is enough. */
export function amountSeen(box: Size, visible: Size, viewport: Size): Amount {
  const area = box.width * box.height;
  const seen = visible.width * visible.height;
  const most = Math.min(box.width, viewport.width) * Math.min(box.height, viewport.height);
  const needed = Math.min(area * (area > LARGE_AREA ? 0.3 : 0.5), most / 2);
  return seen > 0 ? (seen + area * ROUNDING >= needed ? 2 : 1) : 0;
}

/**
 * Returns what is known after one more sample at `now`. A view needs a second of samples that all show enough, at most a
 * second apart: a frozen tab proves nothing. See docs/wire.md#viewability.
 */
export function judgeVisibility(before: Visibility, amount: Amount, now: number): Visibility {
  const { reached, since = Infinity, last = 0 } = before;
  const atLeast = reached || (amount > 0 ? 1 : 0);
  if (amount < 2) return { reached: atLeast };
  const start = now - last > VIEW_MS ? now : Math.min(since, now);
  return { reached: now - start < VIEW_MS ? atLeast : 2, since: start, last: now };
}
