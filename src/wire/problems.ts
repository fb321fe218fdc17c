import { isObject, type JsonObject, type Problem } from './json.ts';

/** Problems reported for one body: enough to fix it, and a hostile body cannot inflate the response. */
const PROBLEMS_MAX = 20;
/** Maximum characters of a text field: user agents have up to about 500. */
const TEXT_MAX = 1_000;

/** Records that something is wrong at a path. */
export type AddProblem = (path: string, message: string) => void;

/** Creates a list of problems and the function that adds to it. */
export function collectProblems(): { problems: Problem[]; addProblem: AddProblem } {
  const problems: Problem[] = [];
  const addProblem: AddProblem = (path, message) => {
    if (problems.length < PROBLEMS_MAX) problems.push({ path, message });
  };
  return { problems, addProblem };
}

/** Whether a field was left out; null counts as left out. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Copies the object at a path without absent fields and `__proto__`. Returns `undefined` when there is no object. */
export function copyObject(value: unknown, path: string, addProblem: AddProblem): Record<string, unknown> | undefined {
  if (isAbsent(value)) return undefined;
  if (!isObject(value)) {
    addProblem(path, 'must be an object');
    return undefined;
  }
  return copyFields(value);
}

function copyFields(object: JsonObject): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) if (key !== '__proto__' && !isAbsent(object[key])) copy[key] = object[key];
  return copy;
}

/** Checks that the named fields, where present, are strings. Converts numbers to strings in place. */
export function normalizeTexts(
  object: Record<string, unknown> | undefined,
  names: readonly string[],
  path: string,
  addProblem: AddProblem,
): void {
  for (const name of names) {
    const value = object && Object.hasOwn(object, name) ? object[name] : undefined;
    if (!object || value === undefined) continue;
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string' || text.length > TEXT_MAX || text.includes('\0')) {
      addProblem(`${path}.${name}`, `must be a string of at most ${TEXT_MAX} characters`);
    } else object[name] = text;
  }
}
