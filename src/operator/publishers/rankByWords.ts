import type { Publisher } from '../../wire/channel.ts';

/** Whether a search has several words: the network returns every name that contains one of them. */
export function hasWords(search: string | undefined): boolean {
  return wordsOf(search).length > 1;
}

/** Puts names first that contain more words of a search; among equals, those that have them as whole words. The order is kept otherwise. */
export function rankByWords<P extends Pick<Publisher, 'brand_name'>>(
  publishers: readonly P[],
  search: string | undefined,
): P[] {
  const words = wordsOf(search);
  const ranked = publishers.map((publisher) => {
    const name = folded(publisher.brand_name);
    const whole = new Set(wordsOf(name));
    return {
      publisher,
      contained: words.filter((word) => name.includes(word)).length,
      whole: words.filter((word) => whole.has(word)).length,
    };
  });
  return ranked.toSorted((a, b) => b.contained - a.contained || b.whole - a.whole).map(({ publisher }) => publisher);
}

/** Whether a name contains every word of a search. */
export function hasAllWords(name: string, search: string): boolean {
  return wordsOf(search).every((word) => folded(name).includes(word));
}

/** Whether two names differ in letter case and white space only. */
export function isSameName(name: string, other: string): boolean {
  return wordsOf(name).join(' ') === wordsOf(other).join(' ');
}

function wordsOf(text: string | undefined): string[] {
  return folded(text ?? '')
    .split(/\s+/u)
    .filter(Boolean);
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
