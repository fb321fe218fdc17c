import { partnerError, readError } from '../wire/errors.ts';
import { isObject, own, type JsonObject, type Problem, isText } from '../wire/json.ts';
import { IDENTIFIERS, REQUEST_FIELDS, type Attributes, type UserDetails } from '../wire/offers/request.ts';
import { RelayError, jsonReply, problemSentence, retryAfter, type Reply } from './errors.ts';
import type { Counting } from './createCounting.ts';
import type { Records } from './createRecords.ts';
import { withDeadline } from '../http/withDeadline.ts';
import type { RelaySettings, SandboxRule } from './options/readOptions.ts';
import type { RelayContext } from './options/relayOptions.ts';
import type { Caller } from './readCaller.ts';
import { type Asker, createRepeat, responseKey } from './repeatResponses.ts';
import type { RelayRequest } from './runtime.ts';
import { emailHash, sha256 } from './sha256.ts';
import type { Telemetry } from './telemetry.ts';
import type { NetworkResponse, Upstream } from './createUpstream.ts';

/** A recommendations request of a page. */
export interface PageRequest {
  readonly request: RelayRequest;
  /** The body, parsed. */
  readonly page: unknown;
  readonly asker: Asker;
  readonly caller: Caller;
}

/** Fetches recommendations for a page. */
export type Recommend = (request: PageRequest) => Promise<Reply>;

interface RecommendParts {
  readonly upstream: Upstream;
  readonly counting: Counting | undefined;
  readonly records: Records;
  readonly telemetry: Telemetry;
}

/** Returns a `Recommend`: composes the request, sends it to the network and passes the response on. */
export function createRecommend(
  settings: Pick<RelaySettings, 'apiKey' | 'context' | 'dedupe' | 'emails' | 'forwardAddress' | 'sandbox' | 'timeouts'>,
  { upstream, counting, records, telemetry }: RecommendParts,
): Recommend {
  const { emails, sandbox, forwardAddress, dedupe, timeouts } = settings;
  const repeat = createRepeat({
    store: dedupe.responses,
    storeMs: timeouts.dedupe,
    requestMs: timeouts.recommendations,
    telemetry,
  });

  return async ({ request, page, asker, caller }) => {
    if (!isObject(page))
      throw new RelayError('The body must be a JSON object.', { status: 400, code: 'invalid_request' });
    const observed = observeAttributes(request.header);
    const known = await callContext(request, settings);
    const ip = forwardAddress ? caller.client?.address : undefined;
    const body = await composeRequest({ page, known, observed, ip, emails, sandbox });
    const problems = findMissing(body);
    if (problems.length > 0)
      throw new RelayError('The request is incomplete.', { status: 400, code: 'invalid_request', problems });
    const key = await responseKey(body, { secret: settings.apiKey, asker });
    let isNew = false;
    const ask = (): Promise<Reply> => {
      isNew = true;
      return requestOffers(body, caller);
    };
    const reply = await (key === undefined ? ask() : repeat(key, { sender: caller.sender, ask }));
    if (reply.status === 200) records.addOffers(reply.body, { request: body, isNew, caller });
    return reply;
  };

  /** Requests offers of the network, and counts what became of that. */
  async function requestOffers(body: Readonly<Record<string, unknown>>, caller: Caller): Promise<Reply> {
    let response: NetworkResponse | undefined;
    try {
      response = await upstream.post(JSON.stringify(body), caller);
    } finally {
      if (counting) await countOffers(counting, { response, body, caller, apiKey: settings.apiKey });
    }
    const reply = passOn(response, own(body['custom_metadata'], 'is_sandbox') === true);
    return reply.problem === undefined ? reply : { ...reply, problem: withoutUser(reply.problem, body) };
  }
}

async function countOffers(
  counting: Counting,
  {
    response,
    body,
    caller,
    apiKey,
  }: {
    response: NetworkResponse | undefined;
    body: Readonly<Record<string, unknown>>;
    caller: Caller;
    apiKey: string;
  },
): Promise<void> {
  const [session, placement] = [own(response?.json, 'session_id'), own(body, 'placement_details')];
  const isPassedOn = response?.status === 200 && !response.isReflecting;
  const isOpened = isPassedOn && typeof session === 'string' && isObject(placement);
  if (!isOpened) return counting.addOffers('failed');
  const offers = own(response?.json, 'recommendations');
  const isEmpty = !isObject(offers) || Object.keys(offers).length === 0;
  const user = own(body, 'user_details');
  const shopper = IDENTIFIERS.map((name) => own(user, name) ?? null);
  const owner = await sha256(JSON.stringify([apiKey, shopper, own(own(body, 'order_details'), 'order_id') ?? null]));
  const opened = { session, placement, owner: owner.slice(0, OWNER_DIGITS), sender: caller.sender };
  counting.addOffers(isEmpty ? 'empty' : 'answered', opened);
}

/** Digits of the hash of shopper and order: enough to tell two apart. Without the key, nobody can look up who they are. */
const OWNER_DIGITS = 8;

async function callContext(
  request: RelayRequest,
  settings: Pick<RelaySettings, 'context' | 'timeouts'>,
): Promise<RelayContext> {
  const { context } = request.own ?? settings;
  if (!context) return {};
  try {
    const known: unknown = await withDeadline(context(request.toRequest()), {
      ms: settings.timeouts.context,
      late: () => new RelayError(CONTEXT_LATE, { status: 504, code: 'context_timeout' }),
    });
    if (known !== undefined && known !== null && !isObject(known))
      throw new TypeError('context must return an object or nothing.');
    return (known ?? {}) as RelayContext;
  } catch (error) {
    // The shop's own refusal. With another status, it could not be a response.
    if (error instanceof RelayError && isErrorStatus(error.status)) throw error;
    // Going on with what the page sent would let a page choose the shopper by making `context` fail.
    throw new RelayError("The shop's server could not add what it knows.", {
      status: 500,
      code: 'context_failed',
      cause: error,
    });
  }
}

const CONTEXT_LATE = "The shop's server took too long to add what it knows.";

function isErrorStatus(status: number): boolean {
  return Number.isInteger(status) && status >= 400 && status <= 599;
}

function passOn(response: NetworkResponse, isSandbox: boolean): Reply {
  const { status, json, text } = response;
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
  return {
    ...reply,
    ...(response.retryAfter !== undefined && { headers: retryAfter(response.retryAfter) }),
    problem: problemSentence(message, fields),
  };
}

/** Shortest value of the shopper's that is looked for in an error: a shorter one may be any word. */
const QUOTED_MIN = 4;

/** The network's words, without what they repeat of the shopper. */
function withoutUser(problem: string, body: Readonly<Record<string, unknown>>): string {
  const user = own(body, 'user_details');
  let clean = problem;
  for (const value of isObject(user) ? Object.values(user) : [])
    if (typeof value === 'string' && value.length >= QUOTED_MIN) clean = clean.replaceAll(value, '[user_details]');
  return clean;
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

interface RequestParts {
  /** What the page sent. */
  readonly page: JsonObject;
  /** What the merchant's server knows. */
  readonly known: RelayContext;
  /** What the page's headers say; fills gaps only. */
  readonly observed: Attributes;
  /** The shopper's IP address, if it is to be sent. */
  readonly ip?: string | undefined;
  readonly emails: 'hash' | 'raw';
  readonly sandbox: SandboxRule;
}

/**
 * Composes the request to the network: the page's known fields, replaced by what the server knows, exactly one
 * identifier, and by default no plain email. A group that the server names replaces the page's as a whole: an amount of the
 * page's must not stay beside the server's order id.
 */
export async function composeRequest(parts: RequestParts): Promise<Record<string, unknown>> {
  const { page, known, observed, ip, emails, sandbox } = parts;
  const request: Record<string, unknown> = {};
  for (const field of REQUEST_FIELDS) {
    const value = own(page, field);
    if (value !== undefined && value !== null) request[field] = value;
  }
  const user = mergeUser(own(page, 'user_details'), known.user_details);
  if (user) request['user_details'] = emails === 'hash' ? await withoutEmail(user) : user;
  const order = groupOf(known.order_details) ?? groupOf(own(page, 'order_details'));
  if (order) request['order_details'] = order;
  if (known.purchases) request['purchases'] = known.purchases;
  const address = ip === undefined ? {} : { ip_address: ip };
  const stated = groupOf(known.attributes);
  const attributes = groupOf({
    ...observed,
    ...(stated ? {} : withoutAddress(own(page, 'attributes'))),
    ...address,
    ...stated,
  });
  if (attributes) request['attributes'] = attributes;
  else delete request['attributes'];
  markSandbox(request, sandbox);
  return request;
}

/** What a request must have before it is worth sending. Its values are for the network to check. */
export function findMissing(request: Readonly<Record<string, unknown>>): readonly Problem[] {
  const problems: Problem[] = [];
  const user = own(request, 'user_details');
  if (!isObject(user)) problems.push({ path: 'user_details', message: 'must be an object' });
  else if (!IDENTIFIERS.some((name) => isText(own(user, name)))) {
    const message = `must hold exactly one of ${IDENTIFIERS.join(', ')}, from the page or from the relay's context`;
    problems.push({ path: 'user_details', message });
  }
  const placement = own(request, 'placement_details');
  if (!isObject(placement)) problems.push({ path: 'placement_details', message: 'must be an object' });
  for (const name of isObject(placement) ? ['view', 'display_mode'] : []) {
    if (!isText(own(placement, name))) problems.push({ path: `placement_details.${name}`, message: 'is required' });
  }
  return problems;
}

/** What a browser's headers say about the shopper's device and language. */
export function observeAttributes(header: ReadHeader): Attributes {
  const attributes: Attributes = {};
  const device = deviceOf(header);
  const language = languageOf(header('accept-language'));
  if (device) attributes.device_type = device;
  if (language) attributes.language = language;
  return attributes;
}

type ReadHeader = (name: string) => string | null;

function deviceOf(header: ReadHeader): Attributes['device_type'] {
  const agent = (header('user-agent') ?? '').slice(0, 1_000);
  if (/iPad|Tablet|PlayBook|Silk(?!.*Mobile)|Android(?!.*Mobile)/i.test(agent)) return 'TABLET';
  if (header('sec-ch-ua-mobile') === '?1' || /Mobi|iPhone|iPod/i.test(agent)) return 'MOBILE';
  return /Windows NT|Macintosh|X11|Linux|CrOS/i.test(agent) ? 'DESKTOP' : undefined;
}

/** The ISO 639 code of the preferred language: `de` of `de-CH,de;q=0.9,en;q=0.8`. */
function languageOf(accepted: string | null): string | undefined {
  // A first language without a weight is the preferred one.
  const first = /^([a-z]{2,3})(?:-[\w-]+)?(?:,|$)/i.exec(accepted ?? '')?.[1];
  if (first !== undefined) return first.toLowerCase();
  const languages = (accepted ?? '')
    .slice(0, 200)
    .split(',')
    .map((part) => ({
      tag: /^\s*([a-z]{2,3})(?:-[\w-]+)?\s*(?:;|$)/i.exec(part)?.[1]?.toLowerCase(),
      q: Number(/;\s*q=([\d.]+)/.exec(part)?.[1] ?? 1),
    }))
    .filter((part) => part.tag !== undefined && part.q > 0);
  return languages.sort((a, b) => b.q - a.q)[0]?.tag;
}

function markSandbox(request: Record<string, unknown>, rule: SandboxRule): void {
  const metadata = groupOf(request['custom_metadata']);
  if (rule === 'always') request['custom_metadata'] = { ...metadata, is_sandbox: true };
  if (rule !== 'never' || own(metadata, 'is_sandbox') === undefined) return;
  delete metadata?.['is_sandbox'];
  request['custom_metadata'] = metadata;
}

/** The attributes of a page without an IP address, which anybody could claim. */
function withoutAddress(attributes: unknown): JsonObject | undefined {
  if (!isObject(attributes)) return undefined;
  return Object.fromEntries(
    Object.entries(attributes).filter(([name]) => !/^(client_?)?ip(_?addr(ess)?)?$/i.test(name)),
  );
}

function mergeUser(page: unknown, known: unknown): Record<string, unknown> | undefined {
  const user = groupOf(known) ?? groupOf(page);
  // A server that knows the name only leaves it to the page to say who the shopper is.
  const source = IDENTIFIERS.some((name) => isText(own(known, name))) ? known : page;
  const identifier = IDENTIFIERS.find((name) => isText(own(source, name)));
  for (const name of IDENTIFIERS) if (user) delete user[name];
  return user && identifier ? { ...user, [identifier]: own(source, identifier) } : user;
}

async function withoutEmail(user: Record<string, unknown>): Promise<UserDetails> {
  const { email, ...rest } = user;
  return typeof email === 'string' ? { ...rest, email_hash: await emailHash(email) } : rest;
}

/** A copy of a group without empty fields, and without one called `__proto__`; undefined when nothing is left. */
function groupOf(group: unknown): Record<string, unknown> | undefined {
  const fields = Object.entries(isObject(group) ? group : {}).filter(
    ([name, value]) => name !== '__proto__' && value !== undefined,
  );
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}
