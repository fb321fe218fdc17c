/** Milliseconds of uninterrupted sight that make a view. */
export const VIEW_MS = 1_000;
/** Square pixels above which 30 % is enough: the size of a 970 × 250 display ad. */
const LARGE_AREA = 242_500;
/** Browsers round rectangles to device pixels: a half may arrive as 49.95 %. */
const ROUNDING = 0.001;

/** What can be seen of an element at one moment. All in CSS pixels. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly visibleWidth: number;
  readonly visibleHeight: number;
  readonly viewportWidth: number;
  readonly viewportHeight: number;
}

/** What is known of one element so far. `since`: when the sight that may become a view began; `last`: the latest look. */
export interface Sight {
  readonly isDisplayed: boolean;
  readonly isViewed: boolean;
  readonly since?: number | undefined;
  readonly last?: number | undefined;
}

/** Nothing was seen yet. */
export const UNSEEN: Sight = { isDisplayed: false, isViewed: false };

/** Tells whether enough of the element is on screen to count towards a view. */
export function isEnough(scene: Scene): boolean {
  const { width, height, visibleWidth, visibleHeight, viewportWidth, viewportHeight } = scene;
  const area = width * height;
  const visible = visibleWidth * visibleHeight + area * ROUNDING;
  if (visible >= area * (area > LARGE_AREA ? 0.3 : 0.5)) return true;
  // It cannot fit: then half of what the viewport could hold of it.
  return (
    (width > viewportWidth || height > viewportHeight) &&
    visible >= (Math.min(width, viewportWidth) * Math.min(height, viewportHeight)) / 2
  );
}

/**
 * What is known after one more look at `now`; no scene means that nothing can be seen.
 * A view needs enough of it in every look of one second, and looks no more than a second apart: a frozen tab proves nothing.
 */
export function judge(sight: Sight, scene: Scene | undefined, now: number): Sight {
  const isSeen = scene !== undefined && scene.visibleWidth * scene.visibleHeight > 0;
  const isDisplayed = sight.isDisplayed || isSeen;
  if (!isSeen || !isEnough(scene)) return { isDisplayed, isViewed: sight.isViewed };
  const isUnbroken = sight.since !== undefined && now - (sight.last ?? now) <= VIEW_MS;
  const since = isUnbroken ? (sight.since ?? now) : now;
  return { isDisplayed, isViewed: sight.isViewed || now - since >= VIEW_MS, since, last: now };
}
