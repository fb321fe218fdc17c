import { CHANNEL_BODY_MAX_BYTES } from '../../wire/limits.ts';
import { type JsonObject, isObject } from '../../wire/json.ts';
import { readJson } from '../http/readJson.ts';
import { badFields } from './badFields.ts';

/** Reads the body as a JSON object, or returns the response that refuses it. */
export async function readObject(
  request: Request,
): Promise<{ ok: true; value: JsonObject } | { ok: false; refusal: Response }> {
  const body = await readJson(request, CHANNEL_BODY_MAX_BYTES);
  if (!body.ok && body.status === 413)
    return { ok: false, refusal: Response.json({ detail: body.message }, { status: 413 }) };
  if (!body.ok) return { ok: false, refusal: badFields({ non_field_errors: [body.message] }) };
  if (!isObject(body.json))
    return { ok: false, refusal: badFields({ non_field_errors: ['The body must be a JSON object.'] }) };
  return { ok: true, value: body.json };
}
