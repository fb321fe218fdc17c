/**
 * The path of the first text in a JSON value, a name included, that no database keeps: one with U+0000 or with half of a
 * surrogate pair. `undefined` when all of it can be kept.
 */
export function findUnstorableText(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isBroken(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, child] of Object.entries(value)) {
    const place = path === '' ? name : `${path}.${name}`;
    const found = isBroken(name) ? path : findUnstorableText(child, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isBroken(text: string): boolean {
  return /\0|\p{Cs}/u.test(text);
}
