import { partnerError, readError } from '../../wire/errors.ts';
import { isObject, own, type JsonObject } from '../../wire/json.ts';
import { RelayError } from '../errors.ts';
import type { RelaySettings } from '../options/readOptions.ts';
import type { RelayContext } from '../options/relayOptions.ts';
import { jsonReply, problemOf, type Reply } from '../reply.ts';
import type { RelayRequest } from '../runtime/request.ts';
import type { Source, Upstream } from '../upstream/createUpstream.ts';
import type { NetworkResponse } from '../upstream/networkResponse.ts';
import { withDeadline } from '../../http/withDeadline.ts';
import { composeRequest, findMissing, observeAttributes } from './composeRequest.ts';

/** A recommendations request of a page. */
export interface PageRequest {
  readonly request: RelayRequest;
  /** The body, parsed. */
  readonly page: unknown;
  readonly address: string | undefined;
  readonly source: Source;
}

/** Fetches recommendations for a page. */
export type Recommend = (request: PageRequest) => Promise<Reply>;

/** Returns a `Recommend`: composes the request, sends it to the network and passes the response on. */
export function createRecommend(settings: RelaySettings, upstream: Upstream): Recommend {
  const { emails, sandbox, forwardAddress } = settings;

  return async ({ request, page, address, source }) => {
    if (!isObject(page))
      throw new RelayError('The body must be a JSON object.', { status: 400, code: 'invalid_request' });
    const observed = observeAttributes(request.header);
    if (forwardAddress && address !== undefined) observed.ip_address = address;
    const known = await callContext(request, settings);
    const body = await composeRequest({ page, known, observed, emails, sandbox });
    const problems = findMissing(body);
    if (problems.length > 0)
      throw new RelayError('The request is incomplete.', { status: 400, code: 'invalid_request', problems });
    const response = await upstream.post(JSON.stringify(body), source);
    return passOn(response, own(body['custom_metadata'], 'is_sandbox') === true);
  };
}

async function callContext(request: RelayRequest, { context, timeouts }: RelaySettings): Promise<RelayContext> {
  if (!context) return {};
  const late = (): Error => new Error(`context took longer than ${timeouts.context} ms.`);
  try {
    const known: unknown = await withDeadline(Promise.resolve(context(request.toRequest())), {
      ms: timeouts.context,
      late,
    });
    if (known !== undefined && known !== null && !isObject(known))
      throw new TypeError('context must return an object or nothing.');
    return (known ?? {}) as RelayContext;
  } catch (error) {
    // The shop's own refusal. With another status no response could be made of it.
    if (error instanceof RelayError && isErrorStatus(error.status)) throw error;
    // Going on with what the page sent would let a page choose the shopper by making `context` fail.
    throw new RelayError("The shop's server could not add what it knows.", {
      status: 500,
      code: 'context_failed',
      cause: error,
    });
  }
}

function isErrorStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status <= 599;
}

function passOn(response: NetworkResponse, isSandbox: boolean): Reply {
  const { status, json, text, retryAfter } = response;
  if (response.isReflecting)
    throw badGateway('key_reflected', "The network's response was withheld, because it contained a secret.");
  if (status === 200) {
    if (!isObject(json))
      throw badGateway('network_answer_unreadable', 'The network returned a response that is not a JSON object.');
    return { status, body: stateSandbox(text, { json, isSandbox }) };
  }
  if (status < 400)
    throw badGateway('network_answer_unreadable', `The network returned an unexpected status (${status}).`);
  const { message, fields } = readError(status, json);
  const reply = isObject(json) ? { status, body: text } : jsonReply(status, partnerError(message));
  return { ...reply, retryAfter, problem: problemOf(message, fields) };
}

function badGateway(code: string, message: string): RelayError {
  return new RelayError(message, { status: 502, code });
}

/** The network's text with the relay's own statement whether it is a test, which is the only one that pages believe. */
function stateSandbox(text: string, { json, isSandbox }: { json: JsonObject; isSandbox: boolean }): string {
  const stated = own(json, 'sandbox');
  if (stated === undefined && !isSandbox) return text;
  if (stated === undefined)
    return text.replace(/^\s*\{\s*(\}?)/, (_, end: string) => (end ? '{"sandbox":true}' : '{"sandbox":true,'));
  return JSON.stringify({ ...json, sandbox: isSandbox });
}
