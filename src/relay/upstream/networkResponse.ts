import { isNestedDeeper, parseJson } from '../../wire/json.ts';
import { JSON_MAX_DEPTH } from '../../wire/limits.ts';
import type { TransportResponse } from './fetchTransport.ts';

/** What the network returned. */
export interface NetworkResponse {
  readonly status: number;
  /** The body as it came. */
  readonly text: string;
  /** The same, parsed; `undefined` when it is not JSON, or nested too deeply. */
  readonly json: unknown;
  /** Seconds or a date. */
  readonly retryAfter: string | undefined;
  /** The key occurs in it: it must not be passed on. */
  readonly isReflecting: boolean;
}

/** Reads what a transport has brought. */
export function readNetworkResponse({ status, text, retryAfter }: TransportResponse, apiKey: string): NetworkResponse {
  const json = parseJson(text);
  return {
    status,
    text,
    json: isNestedDeeper(json, JSON_MAX_DEPTH) ? undefined : json,
    retryAfter: retryAfter !== null && isRetryAfter(retryAfter) ? retryAfter : undefined,
    isReflecting: containsKey(text, apiKey) || containsKey(retryAfter ?? '', apiKey),
  };
}

/** Escapes within escapes that are decoded. */
const ESCAPE_LEVELS = 4;

/**
 * Whether the key occurs in a text, in any letter case and also when it is written with JSON's or a URL's escapes, in
 * UTF-16, or with characters in between that nobody sees. The text is searched, not its parsed value: of two fields with
 * one name a parser returns only the last.
 */
function containsKey(text: string, apiKey: string): boolean {
  const key = apiKey.toLowerCase();
  let plain = text;
  for (let level = 0; level <= ESCAPE_LEVELS; level++) {
    if (plain.toLowerCase().includes(key)) return true;
    const visible = withoutInvisible(plain);
    if (visible !== plain && visible.toLowerCase().includes(key)) return true;
    plain = visible;
    if (!/[\\%]/.test(plain)) return false;
    plain = decodeEscapes(plain).replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return false;
}

/** The text without NUL, byte order marks, and what stands for bytes that are no text. */
function withoutInvisible(text: string): string {
  return text.replaceAll('\0', '').replaceAll('\uFEFF', '').replaceAll('\uFFFD', '');
}

/** Replaces each JSON escape by its character. Those of control characters, which no key has, may come out as any. */
function decodeEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code: string | undefined, character: string | undefined) =>
    code === undefined ? (character ?? '') : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

function isRetryAfter(value: string): boolean {
  return /^\d{1,9}$/.test(value) || HTTP_DATE.test(value);
}
