// Copy that others wrote becomes text that is safe to show.

/** Code units of one grapheme at most: the longest emoji flags have 14, stacked accents have thousands. */
const UNITS_PER_GRAPHEME = 16;

/**
 * The text, safe to show: no control, bidi-override or broken characters, white space folded to single spaces,
 * at most `max` graphemes. `undefined` when it is not a string or nothing is left of it.
 */
export function plainText(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const units = max * UNITS_PER_GRAPHEME;
  const clean = value
    .slice(0, units * 2)
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')
    .slice(0, units)
    .replace(/\p{Cs}/gu, '')
    .trim();
  return (clean.length > max ? firstGraphemes(clean, max).trim() : clean) || undefined;
}

function firstGraphemes(text: string, max: number): string {
  // Firefox had no Segmenter before 125; code points at least never cut a surrogate pair.
  if (typeof Intl !== 'object' || !('Segmenter' in Intl)) return [...text].slice(0, max).join('');
  let count = 0;
  for (const { index } of new Intl.Segmenter().segment(text)) if (count++ === max) return text.slice(0, index);
  return text;
}
