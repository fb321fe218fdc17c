import { isNestedDeeper } from '../../wire/json.ts';
import { readCapped } from '../../wire/readCapped.ts';

/** Maximum nesting of lists and objects: more than a relay lets through, and well below what overflows a stack. */
const MAX_DEPTH = 100;

/** A body's JSON value, or the error status and message. */
export type JsonBody =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly status: 400 | 413; readonly message: string };

/** Reads a JSON body of at most `maxBytes`, and stops reading above that. */
export async function readJson(request: Request, maxBytes: number): Promise<JsonBody> {
  const tooLarge = { ok: false, status: 413, message: `The body is larger than ${maxBytes} bytes.` } as const;
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge;
  const bytes = await readCapped(request.body, maxBytes);
  if (!bytes) return tooLarge;
  try {
    const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
    if (!isNestedDeeper(json, MAX_DEPTH)) return { ok: true, json };
    return { ok: false, status: 400, message: `The body is nested more than ${MAX_DEPTH} levels deep.` };
  } catch {
    return { ok: false, status: 400, message: 'The body is not valid JSON in UTF-8.' };
  }
}
