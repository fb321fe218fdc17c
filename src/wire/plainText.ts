/** Maximum UTF-16 code units of one grapheme: the longest emoji flags have 14, stacked accents have thousands. */
const UNITS_PER_GRAPHEME = 16;
/**
 * A character that leaves a mark by itself: a letter, number, punctuation or symbol. The Hangul fillers are letters that
 * Unicode lists as ignorable; the Braille blank, the null notehead and the object replacement character leave no mark.
 */
const VISIBLE = /(?![\p{DI}\u2800\uFFFC\u{1D159}])[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Makes foreign text safe to show: removes control characters, bidi overrides and lone surrogates, collapses white space,
 * and truncates to `max` graphemes, the last of them an ellipsis. Returns `undefined` when it is not a string or nothing visible is left.
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
  const text = firstGraphemes(clean, max);
  if (!VISIBLE.test(text)) return undefined;
  return text === clean ? text : `${firstGraphemes(text, max - 1).trim()}…`;
}

function firstGraphemes(text: string, max: number): string {
  if (text.length <= max) return text;
  // Firefox before 125 has no Segmenter. Counting code points at least never splits a surrogate pair.
  if (typeof Intl !== 'object' || !('Segmenter' in Intl)) return [...text].slice(0, max).join('');
  let count = 0;
  for (const { index } of new Intl.Segmenter().segment(text)) if (count++ === max) return text.slice(0, index);
  return text;
}
