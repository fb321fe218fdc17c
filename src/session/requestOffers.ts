import { createPost, type RelayAccess } from '../queue/sending/createPost.ts';
import { LATE, within } from '../queue/within.ts';
import { own, parseJson, type JsonObject, type Problem } from '../wire/json.ts';
import { RESPONSE_MAX_BYTES, RELAY_TIMEOUT_MS } from '../wire/limits.ts';
import { hashEmail } from '../wire/offers/hashEmail.ts';
import { REQUEST_FIELDS } from '../wire/offers/request.ts';
import { readCappedText } from '../wire/readCapped.ts';
import { plainText } from '../wire/plainText.ts';
import type { OfferOptions } from './options.ts';
import { outcome, type Failure } from './outcome.ts';
import { reasonOf } from '../wire/reasonOf.ts';

/** Returns the request body: the known fields, with a plain email replaced by its hash. */
export async function buildRequest({
  request,
  sandbox,
}: Pick<OfferOptions, 'request' | 'sandbox'>): Promise<JsonObject> {
  const body: Record<string, unknown> = {};
  for (const field of REQUEST_FIELDS) {
    const value = own(request, field);
    if (value !== undefined) body[field] = value;
  }
  const { email, ...user_details } = request.user_details ?? {};
  if (email !== undefined) user_details.email_hash = await hashEmail(email);
  // explain() says which fields identified the shopper: one that is undefined did not.
  body.user_details = Object.fromEntries(Object.entries(user_details).filter(([, value]) => value !== undefined));
  if (sandbox) body.custom_metadata = { ...request.custom_metadata, is_sandbox: true };
  return body;
}

/** Maximum errors of one response that are repeated. */
const ERRORS_MAX = 5;

/** A request to the relay. `signal` aborts it. */
export interface OffersRequest {
  readonly relay: string;
  readonly access?: RelayAccess | undefined;
  readonly body: JsonObject;
  readonly signal: AbortSignal;
}

/**
 * Requests offers. Resolves to the relay's response as it came, or to the outcome that says why there is none. One timeout
 * covers headers and body.
 */
export async function requestOffers({
  relay,
  access,
  body,
  signal,
}: OffersRequest): Promise<{ json: unknown } | Failure> {
  const url = `${relay}/recommendations`;
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  signal.addEventListener('abort', stop);
  const read = async (): Promise<{ ok: boolean; status: number; json: unknown }> => {
    const response = await createPost(access ?? {})(url, body, { signal: abort.signal });
    const { ok, status } = response;
    return { ok, status, json: parseJson((await readCappedText(response, RESPONSE_MAX_BYTES)) ?? '') };
  };
  try {
    const { ok, status, json } = await within(RELAY_TIMEOUT_MS, read());
    if (ok && json !== undefined) return { json };
    const errors = readErrors(json);
    const message = plainText(own(json, 'message'), 300) ?? (errors[0] ? 'not valid' : 'no reason given');
    const details = errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
    const reason = ok ? 'not JSON, or above 1 MiB' : details ? message.replace(/\.?$/, ': ') + details : message;
    const fields = [...new Set(errors.flatMap(({ path }) => path || []))].join(', ');
    const failed = outcome(
      status > 399 && status < 500 ? 'refused' : 'network_error',
      `${url} responded with status ${status} (${reason})`,
      fields
        ? `Correct ${fields} on the page or in the context of the relay.`
        : 'Look at the log of the relay, and check that it is mounted at this path.',
    );
    return errors[0] ? { ...failed, errors } : failed;
  } catch (error) {
    stop();
    return error === LATE
      ? outcome(
          'network_error',
          `${url} did not respond within ${RELAY_TIMEOUT_MS / 1_000} s`,
          'Check that the relay and the network behind it are up.',
        )
      : outcome(
          'network_error',
          `${url} could not be reached (${reasonOf(error)})`,
          'Check that the relay is up, allows this origin, does not redirect, and is not blocked in this browser.',
        );
  }
}

/** Reads what the relay, or the network behind it, found wrong field by field. */
function readErrors(json: unknown): Problem[] {
  const errors = own(json, 'errors');
  return (Array.isArray(errors) ? errors.slice(0, ERRORS_MAX) : []).flatMap((error) => {
    const message = plainText(own(error, 'message'), 200);
    return message ? { path: plainText(own(error, 'path'), 100) ?? '', message } : [];
  });
}
