import { type ClockedAccess, createPost, SECRET, LATE, within } from '../queue/createPost.ts';
import { reasonText } from '../wire/errors.ts';
import { type JsonObject, own, parseJson, type Problem, plainText, readCappedText } from '../wire/json.ts';
import { RELAY_TIMEOUT_MS, RESPONSE_MAX_BYTES } from '../wire/limits.ts';
import { containsSecret } from './checkOptions.ts';
import { type Failure, outcome } from './openTrace.ts';

/** Maximum errors of one response that are repeated. */
const ERRORS_MAX = 5;

/** A request to the relay. `signal` aborts it, and what is still to come of a response that has failed. */
interface OffersRequest {
  readonly relay: string;
  readonly access: ClockedAccess;
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
  const read = async (): Promise<{ ok: boolean; status: number; json: unknown }> => {
    const response = await createPost(access)(url, body, { signal, priority: 'low' });
    const { ok, status } = response;
    return { ok, status, json: parseJson((await readCappedText(response, RESPONSE_MAX_BYTES)) ?? '') };
  };
  try {
    const { ok, status, json } = await within(RELAY_TIMEOUT_MS, read());
    return ok && json !== undefined ? { json } : refusal(url, ok, status, json);
  } catch (error) {
    if (error === SECRET) return containsSecret('The headers');
    const [message, hint] =
      error === LATE
        ? [`did not respond within ${RELAY_TIMEOUT_MS / 1_000} s`, SEE_LOG]
        : [
            `could not be reached (${reasonText(error)})`,
            'Check that the relay is up, allows this origin and does not redirect, and that connect-src of the page allows it.',
          ];
    return outcome('network_error', `${url} ${message}`, hint);
  }
}

/** Returns the outcome for a response without offers. */
function refusal(url: string, ok: boolean, status: number, json: unknown): Failure {
  const errors = readErrors(json);
  const message = plainText(own(json, 'message'), 300) ?? (errors[0] ? 'not valid' : 'no reason given');
  const details = errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  const reason = ok ? 'not JSON, or above 1 MiB' : details ? message.replace(/\.?$/, ': ') + details : message;
  const failed = outcome(
    status > 399 && status < 500 ? 'refused' : 'network_error',
    `${url} responded with status ${status} (${reason})`,
    hintFor(status, errors),
  );
  return errors[0] ? { ...failed, errors } : failed;
}

/** What to do where the relay or the network fails. */
const SEE_LOG = 'Look at the log of the relay.';
/** What to do where something else than a relay responds. */
export const NO_RELAY = 'Check that an offerlet relay is mounted there.';

/** Says what to do about a status. */
function hintFor(status: number, errors: readonly Problem[]): string {
  const fields = [...new Set(errors.flatMap(({ path }) => path || []))].join(', ');
  if (fields) return `Correct ${fields} on the page or in the context of the relay.`;
  return status === 404 || status < 400 ? NO_RELAY : SEE_LOG;
}

/** Reads what the relay, or the network behind it, found wrong field by field. */
function readErrors(json: unknown): Problem[] {
  const errors = own(json, 'errors');
  return (Array.isArray(errors) ? errors.slice(0, ERRORS_MAX) : []).flatMap((error) => {
    const message = plainText(own(error, 'message'), 200);
    return message ? { path: plainText(own(error, 'path'), 100) ?? '', message } : [];
  });
}
