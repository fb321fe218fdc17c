/** A JSON object nobody has looked into yet. Read it with `own`, never by spreading it. */
export type JsonObject = { readonly [key: string]: unknown };

/** One thing that is wrong with a body: where it is (`placement_details.view`) and what is expected there. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What a parser answers: the value, or every problem it found. Parsers never throw. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Tells whether a value is a JSON object (not null, not a list). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own property, never one it inherits: `__proto__` and `toString` are plain names here. */
export function own(object: unknown, key: string): unknown {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The JSON value of a text, or `undefined` when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
