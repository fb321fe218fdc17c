/**
 * Returns the path of the first string or name in a JSON value that PostgreSQL cannot store: one with U+0000 or a lone
 * surrogate. `undefined` if all can be stored.
 */
export function findUnstorableText(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isUnstorable(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, child] of Object.entries(value)) {
    const place = path === '' ? name : `${path}.${name}`;
    const found = isUnstorable(name) ? path : findUnstorableText(child, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isUnstorable(text: string): boolean {
  return /\0|\p{Cs}/u.test(text);
}
