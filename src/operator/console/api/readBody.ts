import { parseJson } from '../../../wire/json.ts';
import { CHANNEL_BODY_MAX_BYTES } from '../../../wire/limits.ts';

/** Reads a JSON body. Throws a TypeError when it is too large or not JSON. */
export async function readBody(request: Request): Promise<unknown> {
  if (!request.headers.get('content-type')?.startsWith('application/json'))
    throw new TypeError('The body must be JSON.');
  let size = 0;
  const parts: Uint8Array[] = [];
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > CHANNEL_BODY_MAX_BYTES) throw new TypeError('The body is too large.');
    parts.push(part);
  }
  const json = parseJson(Buffer.concat(parts).toString());
  if (json === undefined) throw new TypeError('The body is not JSON.');
  return json;
}
