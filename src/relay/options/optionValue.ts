import { isObject } from '../../wire/json.ts';
import { looksSecret } from '../../wire/keys.ts';
import { oneOf } from '../../wire/oneOf.ts';
import { RelayConfigError } from '../errors.ts';

const QUOTED_MAX = 100;

/** Stops the start: `problem` continues the option's name, says what is wrong, and what to use instead. */
export function refuseOption(option: string, problem: string): never {
  throw new RelayConfigError(problem, { option });
}

/** A value as an error message shows it, unless a key may have been pasted into it. */
export function quote(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  return looksSecret(text) ? '(a key, not shown)' : `"${text.slice(0, QUOTED_MAX)}"`;
}

/** A flag, `false` by default. */
export function readFlag(option: string, value: unknown): boolean {
  if (value === undefined || typeof value === 'boolean') return value === true;
  return refuseOption(option, 'must be true or false.');
}

/** One of the words. */
export function readChoice<const Word extends string>(
  option: string,
  { value, words }: { value: unknown; words: readonly Word[] },
): Word {
  return oneOf(words, value) ?? refuseOption(option, `must be ${words.map((word) => `'${word}'`).join(' or ')}.`);
}

/** A function, or `undefined`. */
export function readFunction<T>(option: string, value: T): T {
  if (value === undefined || typeof value === 'function') return value;
  return refuseOption(option, 'must be a function.');
}

/** Numbers between 1 and `max`, each with its default. */
export function readNumbers<T extends object>(
  option: string,
  is: { defaults: T; given: Partial<T> | undefined; max: number; unit: string },
): T {
  const { defaults, given, max, unit } = is;
  if (given === undefined) return defaults;
  if (!isObject(given)) {
    const example = Object.entries(defaults)[0]?.join(': ');
    return refuseOption(option, `must be an object of ${unit}, such as { ${example} }.`);
  }
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaults, name))
      refuseOption(option, `has no '${name}'. It takes ${Object.keys(defaults).join(', ')}.`);
    const isFine = value === undefined || (typeof value === 'number' && value >= 1 && value <= max);
    if (!isFine) refuseOption(`${option}.${name}`, `must be a number of ${unit} between 1 and ${max}.`);
  }
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}
