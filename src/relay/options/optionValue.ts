import { isObject } from '../../wire/json.ts';
import { RelayConfigError } from '../errors.ts';

/** Stops the start with a sentence that says what to write instead. */
export function fail(message: string): never {
  throw new RelayConfigError(message);
}

/** A flag, off unless given. */
export function flag(name: string, value: unknown): boolean {
  return value === undefined || typeof value === 'boolean' ? value === true : fail(`${name} must be true or false.`);
}

/** One of the words. */
export function oneOf<const Word extends string>(name: string, value: unknown, words: readonly Word[]): Word {
  return (
    words.find((word) => word === value) ?? fail(`${name} must be ${words.map((word) => `'${word}'`).join(' or ')}.`)
  );
}

/** A function, or nothing. */
export function functionOr<T>(name: string, value: T): T {
  return value === undefined || typeof value === 'function' ? value : fail(`${name} must be a function.`);
}

/** Numbers between 1 and `max`, each with its default. */
export function numbers<T extends object>(
  option: string,
  is: { defaults: T; given: Partial<T> | undefined; max: number; unit: string },
): T {
  const { defaults, given, max, unit } = is;
  if (given === undefined) return defaults;
  if (!isObject(given))
    return fail(
      `${option} must be an object of ${unit}, such as ${option}: { ${Object.entries(defaults)[0]?.join(': ')} }.`,
    );
  for (const [name, value] of Object.entries(given)) {
    if (!(name in defaults)) fail(`${option} has no '${name}': it takes ${Object.keys(defaults).join(', ')}.`);
    const isFine = value === undefined || (typeof value === 'number' && value >= 1 && value <= max);
    if (!isFine) fail(`${option}.${name} must be a number of ${unit} between 1 and ${max}.`);
  }
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}
