import { ID_MAX_LENGTH } from './limits.ts';

/** A parsed JSON object that has not been checked. Read it with `own`; never spread it. */
export type JsonObject = { readonly [key: string]: unknown };

/** One thing that is wrong with a body: its path (`placement_details.view`) and what is expected there. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Returns problems as a sentence. */
export function problemsText(problems: readonly Problem[]): string {
  return problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
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

/** Returns a UUID in lower case. Returns `undefined` for anything else. */
export function readUuid(value: unknown): string | undefined {
  const isUuid = typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value);
  return isUuid ? value.toLowerCase() : undefined;
}

/** Whether a value is a string that is not blank. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** Whether a value is a whole number of 0 or more. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Maximum UTF-16 code units of one grapheme: the longest emoji flags have 14, stacked accents have thousands. */
const UNITS_PER_GRAPHEME = 16;
/**
 * A character that leaves a mark by itself: a letter, number, punctuation or symbol. The Hangul fillers are letters that
 * Unicode lists as ignorable; the Braille blank, the null notehead and the object replacement character leave no mark.
 */
const VISIBLE = /(?![\p{DI}\u2800\uFFFC\u{1D159}])[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Makes foreign text safe to show: removes control characters, bidi overrides and lone surrogates, collapses white space,
 * and truncates to `max` graphemes, the last of them an ellipsis. Returns `undefined` when it is not a string or nothing visible is left.
 */
export function plainText(value: unknown, max: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const units = max * UNITS_PER_GRAPHEME;
  const clean = value
    .slice(0, units * 2)
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '')
    .slice(0, units)
    .replace(/\p{Cs}/gu, '')
    .trim();
  const text = firstGraphemes(clean, max);
  if (!VISIBLE.test(text)) return undefined;
  return text === clean ? text : `${firstGraphemes(text, max - 1).trim()}…`;
}

function firstGraphemes(text: string, max: number): string {
  if (text.length <= max) return text;
  // Firefox before 125 has no Segmenter. Counting code points at least never splits a surrogate pair.
  if (typeof Intl !== 'object' || !('Segmenter' in Intl)) return [...text].slice(0, max).join('');
  let count = 0;
  for (const { index } of new Intl.Segmenter().segment(text)) if (count++ === max) return text.slice(0, index);
  return text;
}

/** Returns the value, typed, when the list contains it; otherwise `undefined`. */
export function oneOf<T extends string>(list: readonly T[], value: unknown): T | undefined {
  return list.find((known) => known === value);
}

/**
 * Stringifies plain data on any page. Prototype.js before 1.7 puts a `toJSON` on arrays, which would turn every array into
 * a string; the replacer reads the original value instead.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key) {
    return this[key];
  });
}

/** Problems reported for one body: enough to fix it, and a hostile body cannot inflate the response. */
export const PROBLEMS_MAX = 20;

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

/** Digits of an amount before and after the point: any NUMERIC column accepts these. */
const AMOUNT = /^\d{1,12}(\.\d{1,12})?$/;
const AMOUNT_MAX = 1e12;

/** Checks `amount` and `currency_code` where present. */
export function checkCost(cost: unknown, path: string, addProblem: AddProblem): void {
  const amount = own(cost, 'amount');
  const isAmount =
    typeof amount === 'number' ? amount >= 0 && amount < AMOUNT_MAX : typeof amount === 'string' && AMOUNT.test(amount);
  if (!isAbsent(amount) && !isAmount) addProblem(`${path}.amount`, 'must be a number of 0 or more, such as 42.50');
  const currency = own(cost, 'currency_code');
  const isCurrency = typeof currency === 'string' && /^[A-Za-z]{3}$/.test(currency);
  if (!isAbsent(currency) && !isCurrency)
    addProblem(`${path}.currency_code`, 'must be a three-letter ISO 4217 code, such as EUR');
}

const RFC_3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Parses an RFC 3339 date and time to milliseconds since 1970. Returns `undefined` for anything else, 30 February included. */
export function parseDatetime(value: unknown): number | undefined {
  const day = typeof value === 'string' ? RFC_3339.exec(value)?.[1] : undefined;
  if (typeof value !== 'string' || day === undefined) return undefined;
  // Date.parse turns 30 February into 2 March instead of refusing it. Every month has a 28th, so most dates need no check.
  if (Number(day.slice(8)) > 28 && !isDay(day)) return undefined;
  const time = Date.parse(value.toUpperCase());
  return Number.isNaN(time) ? undefined : time;
}

function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === day;
}

/** A body to read, as a `Request` or a `Response` has it. */
export interface Body {
  readonly body?: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

/** Resolves to the bytes of a stream, or to undefined as soon as there are more than `maxBytes`. The rest is not read. */
export async function readCapped(
  stream: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!stream) return new Uint8Array();
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { value } = await reader.read();
    if (!value) return joinBytes(chunks, length);
    length += value.byteLength;
    if (length > maxBytes) {
      void reader.cancel().catch(() => undefined);
      return undefined;
    }
    chunks.push(value);
  }
}

/** Resolves to a body as text, or to undefined if it is longer than `maxBytes`. */
export async function readCappedText(body: Body, maxBytes: number): Promise<string | undefined> {
  if (body.body) {
    const bytes = await readCapped(body.body, maxBytes);
    return bytes && new TextDecoder().decode(bytes);
  }
  // React Native has no streams, and a custom `fetch` may return less than a whole response.
  const text = await body.text();
  return text.length > maxBytes ? undefined : text;
}

/** Joins chunks that are `length` bytes long together. */
export function joinBytes(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
