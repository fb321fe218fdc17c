import * as v from 'valibot';

// Fields of query parameters, each given as the list of its values.

/** The parameters of a URL. */
export function givenParameters({ searchParams }: URL): Record<string, readonly string[]> {
  const given = new Map<string, string[]>();
  for (const [name, value] of searchParams) if (given.get(name)?.push(value) === undefined) given.set(name, [value]);
  return Object.fromEntries(given);
}

/** The values of a parameter. */
export const values = v.custom<readonly string[]>(Array.isArray);

/** A parameter's only value. */
export const once = v.pipe(
  values,
  v.check(({ length }) => length === 1, 'Give this parameter once.'),
  v.transform(([value = '']) => value),
);

/** An optional whole number in digits. */
export function wholeNumber(
  range: string,
  { min, max = Infinity, default: otherwise }: { min: number; max?: number; default: number },
  description: string,
): v.OptionalSchema<v.GenericSchema<unknown, number>, undefined> {
  const digits = v.pipe(
    once,
    v.regex(/^\d+$/),
    v.transform(Number),
    v.check((n: number) => Number.isSafeInteger(n)),
  );
  const checks = v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
  const number = v.pipe(digits, checks, v.metadata({ default: otherwise, description }));
  return v.optional(v.config(number, { abortPipeEarly: true, message: `Expected a whole number${range}.` }));
}
