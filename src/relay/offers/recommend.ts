import { partnerError, readError } from '../../wire/errors.ts';
import { isObject, own, type JsonObject } from '../../wire/json.ts';
import { attributesFrom } from './attributesFrom.ts';
import { networkOf } from '../limits/callerAddress.ts';
import { composeQuestion, missingParts } from './composeRequest.ts';
import { RelayError } from '../errors.ts';
import type { Incoming } from '../runtime/exchange.ts';
import type { RelayContext } from '../options/options.ts';
import { jsonReply, type Reply } from '../reply.ts';
import { within } from '../within.ts';
import type { Settings } from '../options/settings.ts';
import type { CallNetwork, NetworkAnswer } from '../upstream/networkCall.ts';

export interface Question {
  readonly incoming: Incoming;
  readonly page: unknown;
  readonly address: string | undefined;
  readonly requestId: string;
}

/** Answers one recommendations request of a page: composes the question, asks the network, passes its answer on. */
export async function ask(
  question: Question,
  { settings, call }: { settings: Settings; call: CallNetwork },
): Promise<Reply> {
  const { incoming, page, address, requestId } = question;
  if (!isObject(page))
    throw new RelayError('The body must be a JSON object.', { status: 400, code: 'invalid_request' });
  const observed = attributesFrom(incoming.header);
  if (settings.forwardAddress && address !== undefined) observed.ip_address = address;
  const known = await askMerchant(incoming, settings);
  const body = await composeQuestion({ page, known, observed, emails: settings.emails, sandbox: settings.sandbox });
  const problems = missingParts(body);
  if (problems.length > 0)
    throw new RelayError('The request is incomplete.', { status: 400, code: 'invalid_request', problems });
  const sender = address === undefined ? undefined : networkOf(address);
  const answer = await call({ body: JSON.stringify(body), requestId, sender });
  if (answer.isReflecting)
    throw new RelayError("The network's answer was withheld, because it held a secret.", {
      status: 502,
      code: 'key_reflected',
    });
  return passOn(answer, own(body['custom_metadata'], 'is_sandbox') === true);
}

async function askMerchant(incoming: Incoming, { context, timeouts }: Settings): Promise<RelayContext> {
  if (!context) return {};
  const late = (): Error => new Error(`context took longer than ${timeouts.context} ms.`);
  try {
    const known: unknown = await within(Promise.resolve(context(incoming.toRequest())), { ms: timeouts.context, late });
    if (known !== undefined && known !== null && !isObject(known))
      throw new TypeError('context must return an object or nothing.');
    return (known ?? {}) as RelayContext;
  } catch (error) {
    // Asking with what the page says alone would let a page choose who the shopper is by making this fail.
    throw new RelayError("The shop's server could not say what it knows.", {
      status: 500,
      code: 'context_failed',
      cause: error,
    });
  }
}

function passOn(answer: NetworkAnswer, isSandbox: boolean): Reply {
  const { status, json, text, retryAfter } = answer;
  if (status === 200) {
    if (!isObject(json))
      throw new RelayError('The network gave an answer that is no JSON object.', {
        status: 502,
        code: 'network_answer_unreadable',
      });
    return { status, body: mark(text, json, isSandbox) };
  }
  if (status < 400)
    throw new RelayError(`The network answered ${status}, which is no answer to this question.`, {
      status: 502,
      code: 'network_answer_unreadable',
    });
  return isObject(json)
    ? { status, body: text, retryAfter }
    : { ...jsonReply(status, partnerError(readError(status, json).message)), retryAfter };
}

/** The network's text with the relay's own word on whether it is a test: a shopper's page believes only that. */
function mark(text: string, json: JsonObject, isSandbox: boolean): string {
  const said = own(json, 'sandbox');
  if (said === undefined && !isSandbox) return text;
  if (said === undefined)
    return text.replace(/^\s*\{\s*(\}?)/, (_, end: string) => (end ? '{"sandbox":true}' : '{"sandbox":true,'));
  return JSON.stringify({ ...json, sandbox: isSandbox });
}
