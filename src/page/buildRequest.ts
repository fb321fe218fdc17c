import { hashEmail } from '../wire/offers/hashEmail.ts';
import { own, type JsonObject } from '../wire/json.ts';
import { REQUEST_FIELDS } from '../wire/offers/request.ts';
import type { ShowOptions } from './options.ts';

/** The body that is sent: the known fields, a plain e-mail replaced by its hash, and the wish for test offers. */
export async function buildRequest({ request, sandbox }: ShowOptions): Promise<JsonObject> {
  const body: Record<string, unknown> = {};
  for (const field of REQUEST_FIELDS) {
    const value = own(request, field);
    if (value !== undefined) body[field] = value;
  }
  const { email, ...user_details } = request.user_details ?? {};
  if (email !== undefined) user_details.email_hash = await hashEmail(email);
  body.user_details = user_details;
  if (sandbox) body.custom_metadata = { ...request.custom_metadata, is_sandbox: true };
  return body;
}
