/** What is wrong with each parameter, as the response body: `{ param: [messages] }`. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** Reads the parameters of a query string one at a time and collects the errors. */
export interface ParameterReader {
  has(name: string): boolean;
  /** The only value of a parameter; `undefined` if it is missing or invalid. */
  scalar(name: string): string | undefined;
  /** One of the allowed values, or the default. */
  word<T extends string>(name: string, allowed: readonly T[], otherwise: T): T;
  wordIfAny<T extends string>(name: string, allowed: readonly T[]): T | undefined;
  /** A whole number in digits, or the default. */
  integer(name: string, range: { min: number; max: number; otherwise: number }): number;
  /** The elements of a comma-separated list. With `repeatable` the parameter may be given several times. */
  list(name: string, options?: { repeatable?: boolean }): readonly string[] | undefined;
  refuse(name: string, message: string): void;
  /** The errors so far; `undefined` if there are none. */
  errors(): FieldErrors | undefined;
}

/** Returns a reader of the URL's query string, which refuses every parameter that is not `known`. */
export function readParameters(url: URL, known: readonly string[]): ParameterReader {
  const problems = new Map<string, string[]>();
  for (const name of url.searchParams.keys()) {
    if (!known.includes(name) && !problems.has(name))
      refuse(name, `This parameter is unknown. Use one of ${known.join(', ')}.`);
  }

  function refuse(name: string, message: string): void {
    problems.set(name, [...(problems.get(name) ?? []), message]);
  }

  /** The values of a parameter; none if it is unknown and so refused already. */
  function given(name: string): readonly string[] {
    return known.includes(name) ? url.searchParams.getAll(name) : [];
  }

  function scalar(name: string): string | undefined {
    const values = given(name);
    if (values.length > 1) refuse(name, 'Give this parameter once.');
    return values.length === 1 ? values[0] : undefined;
  }

  function wordIfAny<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const text = scalar(name);
    if (text === undefined) return undefined;
    const found = allowed.find((word) => word === text);
    if (found === undefined) refuse(name, `Expected one of ${allowed.join(', ')}.`);
    return found;
  }

  return {
    has: (name) => url.searchParams.has(name),
    scalar,
    wordIfAny,
    word: (name, allowed, otherwise) => wordIfAny(name, allowed) ?? otherwise,
    integer(name, { min, max, otherwise }) {
      const text = scalar(name);
      if (text === undefined) return otherwise;
      const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return value;
      refuse(
        name,
        max === Number.MAX_SAFE_INTEGER
          ? `Expected a whole number, ${min} or more.`
          : `Expected a whole number from ${min} to ${max}.`,
      );
      return otherwise;
    },
    list(name, { repeatable = false } = {}) {
      const values = given(name);
      if (values.length === 0) return undefined;
      if (values.length > 1 && !repeatable) {
        refuse(name, 'Give this parameter once, with its values separated by commas.');
        return undefined;
      }
      // Only spaces are trimmed: other white space is a control character, which values may not contain.
      const elements = values.flatMap((value) => value.split(',')).map((value) => value.replace(/^ +| +$/g, ''));
      if (!elements.includes('')) return elements;
      refuse(name, elements.length === 1 ? 'Expected at least one value.' : 'One of the values is empty.');
      return undefined;
    },
    refuse,
    errors: () => (problems.size > 0 ? Object.fromEntries(problems) : undefined),
  };
}
