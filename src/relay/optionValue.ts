import { quote } from '../http/networkAccess.ts';
import { isObject, oneOf } from '../wire/json.ts';
import { RelayConfigError } from './errors.ts';

/** Stops the start: `problem` continues the option's name, says what is wrong, and what to use instead. */
export function refuseOption(option: string, problem: string): never {
  throw new RelayConfigError(problem, { option });
}

/** Refuses the names of an object that it should not have. */
export function refuseOtherNames(option: string, given: object, names: readonly string[]): void {
  const other = Object.keys(given).find((name) => !names.includes(name));
  if (other !== undefined) refuseOption(option, `has no ${quote(other, "'")}. It takes ${names.join(', ')}.`);
}

/** Refuses a value that is not a whole number from 1 to `most`. */
export function checkWhole(option: string, value: unknown, most = Number.MAX_SAFE_INTEGER): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1 && value <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? 'of 1 or more' : `between 1 and ${most}`;
  refuseOption(
    option,
    `must be a whole number ${range}, not ${typeof value === 'string' ? quote(value) : String(value)}.`,
  );
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
  refuseOtherNames(option, given, Object.keys(defaults));
  for (const [name, value] of Object.entries(given)) {
    const isFine = value === undefined || (typeof value === 'number' && value >= 1 && value <= max);
    if (!isFine) refuseOption(`${option}.${name}`, `must be a number of ${unit} between 1 and ${max}.`);
  }
  return { ...defaults, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) };
}
