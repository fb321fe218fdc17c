/** A replacement in a source file: all matches of a pattern, by a text. */
export type Cut = readonly [file: string, find: RegExp, replace: string];

/** A behaviour of the script, and the code that can be cut out if nobody wants it. */
export interface Price {
  readonly behaviour: string;
  /** What a shopper, a merchant or a developer would lose. */
  readonly lost: string;
  readonly cuts: readonly Cut[];
}

/** Returns code without what the cuts remove. Throws when a cut no longer matches. */
export function applyCuts(path: string, code: string, cuts: readonly Cut[]): string {
  let result = code;
  for (const [file, find, replace] of cuts) {
    // A style sheet's id ends in a query.
    if (!path.replace(/\?.*/, '').endsWith(`/src/${file}`)) continue;
    const cut = result.replace(find, replace);
    if (cut === result) throw new Error(`${String(find)} does not match ${file} any more`);
    result = cut;
  }
  return result;
}
