/**
 * Reads one of the page's own objects past DOM clobbering: `<input name="append">` shadows the `append` of its form.
 * What shadows is an element, never a string or boolean, so methods and objects come from the prototype.
 */
export function unclobbered<T extends object>(node: T): T {
  return readPast(() => node);
}

/** Reads whatever `current` returns the same way. While that is undefined, so are all properties. */
export function readPast<T extends object>(current: () => T | undefined): T {
  const prototype = (): object => Object.getPrototypeOf(current()) as object;
  return new Proxy({} as T, {
    get(_, name): unknown {
      const direct: unknown = current()?.[name as keyof T];
      if (Object(direct) !== direct) return direct;
      const value: unknown = Reflect.get(prototype(), name, current());
      return typeof value === 'function'
        ? (...given: unknown[]): unknown => Reflect.apply(value, current(), given)
        : value;
    },
    set: (_, name, value) => Reflect.set(prototype(), name, value, current()),
  });
}
