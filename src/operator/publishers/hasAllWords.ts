/** Whether a name contains every word of a search: the network returns every name that contains one of them. */
export function hasAllWords(name: string, search: string): boolean {
  return wordsOf(search).every((word) => folded(name).includes(word));
}

/** Whether two names differ in letter case and white space only. */
export function isSameName(name: string, other: string): boolean {
  return wordsOf(name).join(' ') === wordsOf(other).join(' ');
}

function wordsOf(text: string): string[] {
  return folded(text).split(/\s+/u).filter(Boolean);
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
