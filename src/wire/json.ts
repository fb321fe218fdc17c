import { ID_MAX_LENGTH } from './limits.ts';

/** A parsed JSON object that has not been checked. Read it with `own`; never spread it. */
export type JsonObject = { readonly [key: string]: unknown };

/** One thing that is wrong with a body: its path (`placement_details.view`) and what is expected there. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** The result of a parser: the value, or every problem found. Parsers never throw. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Whether a value is a JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an own property, never an inherited one, so `__proto__` and `toString` are ordinary names. */
export function own(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Parses JSON. Returns `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a JSON value nests objects and lists deeper than a number of levels. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // Loops that make no list of an object's values take a third of the time.
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (isNestedDeeper(value[at], levels - 1)) return true;
    return false;
  }
  const object = value as JsonObject;
  for (const key in object) {
    const part = object[key];
    if (typeof part === 'object' && isNestedDeeper(part, levels - 1)) return true;
  }
  return false;
}

/** Returns an identifier exactly as it was sent, an integer as its digits. Returns `undefined` when it is not a valid one. */
export function readId(value: unknown): string | undefined {
  const id = Number.isSafeInteger(value) ? String(value) : value;
  return typeof id === 'string' && id.trim() !== '' && id.length <= ID_MAX_LENGTH && !/\p{Cc}|\p{Cs}/u.test(id)
    ? id
    : undefined;
}
