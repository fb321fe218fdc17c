/** Returns ` Did you mean …?` for the known word that is nearest to a mistyped one, or an empty string if no word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = known
    .map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
    .filter(({ candidate, edits }) => edits <= Math.max(1, Math.min(3, Math.floor(candidate.length / 3))))
    .sort((a, b) => a.edits - b.edits)[0];
  return nearest && nearest.edits > 0 ? ` Did you mean ${nearest.candidate}?` : '';
}

/** Returns the nearest known word as a suggestion, otherwise what may be used instead: one line stays one line. */
export function suggest(word: string, known: readonly string[]): string {
  return didYouMean(word, known) || ` Use one of ${known.join(', ')}.`;
}

/** Counts the letters to insert, delete, replace or swap with their neighbour. */
function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = [...Array(to.length + 1).keys()];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(beforeLast, j - 2) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return at(last, to.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
