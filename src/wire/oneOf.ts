/** The value when it is one of the listed ones, typed as such; `undefined` otherwise. */
export function oneOf<T extends string>(list: readonly T[], value: unknown): T | undefined {
  return list.find((known) => known === value);
}
