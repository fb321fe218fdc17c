/** Returns the value, typed, when the list contains it; otherwise `undefined`. */
export function oneOf<T extends string>(list: readonly T[], value: unknown): T | undefined {
  return list.find((known) => known === value);
}
