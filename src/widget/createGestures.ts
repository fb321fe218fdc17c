/** Milliseconds after opening in which a click meant for the page is not taken for one meant for an offer. */
const DEAF_MS = 400;
/** Milliseconds within which two clicks are one gesture. */
const DOUBLE_MS = 500;

/** Tells real gestures from clicks that hit a layer while it opened and from the second half of a double click. */
export function createGestures(
  isLayer: boolean,
  now: () => number = () => performance.now(),
): { isDeaf(): boolean; isRepeated(key: object): boolean } {
  const openedAt = isLayer ? now() : -DEAF_MS;
  const last = new Map<object, number>();
  return {
    isDeaf: () => now() - openedAt < DEAF_MS,
    isRepeated(key) {
      const before = last.get(key);
      last.set(key, now());
      return before !== undefined && now() - before < DOUBLE_MS;
    },
  };
}
