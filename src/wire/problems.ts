import { isObject, type JsonObject, type Problem } from './json.ts';

/** Problems told of one body: enough to mend it, and a hostile body cannot fill the answer. */
const PROBLEMS_MAX = 20;
/** Characters of a text field: user agents have up to about 500. */
const TEXT_MAX = 1_000;

/** Notes that something is wrong at a path. */
export type AddProblem = (path: string, message: string) => void;

/** A list of problems and the function that adds to it. */
export function collectProblems(): { problems: Problem[]; addProblem: AddProblem } {
  const problems: Problem[] = [];
  const addProblem: AddProblem = (path, message) => {
    if (problems.length < PROBLEMS_MAX) problems.push({ path, message });
  };
  return { problems, addProblem };
}

/** Tells whether a field was left out; null counts as that. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** A copy of the object at a path, field by field: absent fields and `__proto__` stay behind. `undefined` when there is none. */
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

/** Checks that the named fields, where given, are texts; numbers become their digits. */
export function settleTexts(
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
