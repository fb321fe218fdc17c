import { isObject, own, problemsText } from '../wire/json.ts';
import { readRecommendations } from '../wire/offers/readRecommendations.ts';
import { DISPLAY_MODES, IDENTIFIERS, VIEWS } from '../wire/offers/request.ts';
import { expect, expectOk } from './network.ts';
import {
  denied,
  NO_VERSION,
  of,
  PLAIN,
  reading,
  refused,
  refusesElsewhere,
  rule,
  type Checked,
  type Rule,
} from './rule.ts';
import { PLACEMENT, readPlaced } from './world.ts';

const PATH = '/recommendations';
const USER = { external_guid: 'verify' };
const HASH = '86e0b9e56c17cc4d12387e1949b85053fbe73bc3ce5a1188713a9d300cc6133d';
const VALUES = { email: 'ada@example.com', email_hash: HASH, phone: '+4930123456', external_guid: 'verify' } as const;
const BODY = { user_details: USER, placement_details: PLACEMENT };
const UUID = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i;

const ask = (body: unknown, more: object = {}) => ({ path: PATH, key: 'integration', body, ...more }) as const;
const refuses = (id: string, says: string, body: unknown, headers?: object): Omit<Rule, 'of'> =>
  refused(id, says, ask(body, headers && { headers }), 400);

/** Sends a request that must succeed, and returns its body. */
async function offersFor(on: Checked, body: unknown, more: object = {}): Promise<unknown> {
  return expectOk(await on.ask(ask(body, more)));
}

function* textsOf(json: unknown, name = ''): Generator<readonly [name: string, text: string]> {
  if (typeof json === 'string') yield [name, json];
  else if (typeof json === 'object' && json !== null)
    for (const [key, value] of Object.entries(json)) yield* textsOf(value, Array.isArray(json) ? name : key);
}

/** What POST /recommendations promises. */
export const RECOMMENDATION_RULES: readonly Rule[] = of('recommendations', [
  denied('A1.no-key', 'A call without a key is refused.', ask(BODY, { key: 'none' })),
  denied('A1.wrong-key', 'An unknown key is refused.', ask(BODY, { key: 'wrong' })),
  refusesElsewhere('A1.environment', ask(BODY)),
  rule('A1.key-in-query', 'A key in the query is no key.', async (on) => {
    const exchange = await on.ask(ask(BODY, { key: 'none', query: { 'x-api-key': on.keys.integration ?? '' } }));
    expect(exchange, '401', exchange.status === 401);
  }),
  rule('A1.key-case', 'The name of the key header is read in any case.', async (on) => {
    const headers = { 'x-api-key': undefined, 'X-API-Key': on.keys.integration };
    await offersFor(on, BODY, { headers });
  }),
  refuses('A1.no-version', 'A call without a version is refused.', BODY, NO_VERSION),
  refuses('A1.odd-version', 'A version that is not semantic is refused.', BODY, { version: '1.0' }),
  refuses('A1.far-version', 'An unsupported version is refused.', BODY, { version: '99.0.0' }),
  refused('A1.content-type', 'A body that is not called JSON is refused.', ask(BODY, { headers: PLAIN }), 415),
  refuses('A1.not-json', 'A body that is not JSON is refused.', '{"user_details":'),
  refuses('A1.not-object', 'A body that is not an object is refused.', '[]'),
  reading('A1.get', 'GET is not answered with offers; a 405 allows POST.', async (on) => {
    const exchange = await on.ask({ path: PATH, key: 'integration' });
    const isPostOnly = exchange.status === 405 && exchange.headers.get('allow') === 'POST';
    expect(exchange, '404, or 405 with Allow: POST', isPostOnly || exchange.status === 404);
  }),
  refuses('A2.no-user', 'user_details is required.', { placement_details: PLACEMENT }),
  refuses('A2.no-placement', 'placement_details is required.', { user_details: USER }),
  refuses('A2.no-identifier', 'One identifier is required.', { ...BODY, user_details: { first_name: 'Ada' } }),
  refuses('A2.blank', 'A blank identifier is none.', { ...BODY, user_details: { email: '  ' } }),
  rule('A2.two', 'Two identifiers are refused, whichever they are.', async (on) => {
    for (const [at, one] of IDENTIFIERS.entries())
      for (const other of IDENTIFIERS.slice(at + 1)) {
        const user_details = { [one]: VALUES[one], [other]: VALUES[other] };
        const exchange = await on.ask(ask({ ...BODY, user_details }));
        expect(exchange, `400 for ${one} beside ${other}`, exchange.status === 400);
      }
  }),
  ...IDENTIFIERS.map((name) =>
    rule(`A2.${name.replace('_', '-')}`, `${name} alone is enough.`, async (on) => {
      await offersFor(on, { ...BODY, user_details: { [name]: VALUES[name] } });
    }),
  ),
  rule('A3.upper-case', 'A hash in upper case is accepted.', async (on) => {
    await offersFor(on, { ...BODY, user_details: { email_hash: HASH.toUpperCase() } });
  }),
  refuses('A3.length', 'A hash of 63 characters is refused.', { ...BODY, user_details: { email_hash: HASH.slice(1) } }),
  refuses('A3.hex', 'A hash that is not hex is refused.', {
    ...BODY,
    user_details: { email_hash: `${HASH.slice(1)}g` },
  }),
  refuses('A4.no-view', 'view is required.', { ...BODY, placement_details: { display_mode: 'INLINE' } }),
  refuses('A4.no-mode', 'display_mode is required.', { ...BODY, placement_details: { view: 'THANK_YOU' } }),
  refuses('A4.case', 'A view in lower case is refused.', {
    ...BODY,
    placement_details: { ...PLACEMENT, view: 'thank_you' },
  }),
  refuses('A4.view', 'An unknown view is refused.', { ...BODY, placement_details: { ...PLACEMENT, view: 'HOME' } }),
  refuses('A4.mode', 'An unknown display_mode is refused.', {
    ...BODY,
    placement_details: { ...PLACEMENT, display_mode: 'BANNER' },
  }),
  rule('A4.all', 'Each view and each display_mode is accepted.', async (on) => {
    for (const view of VIEWS) await offersFor(on, { ...BODY, placement_details: { ...PLACEMENT, view } });
    for (const display_mode of DISPLAY_MODES.slice(0, 3))
      await offersFor(on, { ...BODY, placement_details: { ...PLACEMENT, display_mode } });
  }),
  rule('A5.optional', 'Order, purchases and attributes are accepted.', async (on) => {
    await offersFor(on, {
      ...BODY,
      order_details: { order_id: on.world.mark, cost_details: { amount: 42.5, currency_code: 'EUR' } },
      purchases: [{ product_id: '1', name: 'Cup', quantity: '2' }],
      attributes: { device_type: 'MOBILE', language: 'en' },
    });
  }),
  rule('A5.unknown', 'Unknown fields are ignored.', async (on) => {
    await offersFor(on, { ...BODY, user_details: { ...USER, shoe_size: 42 }, surprise: [1] });
  }),
  rule('A5.quantity', 'A quantity may be a number.', async (on) => {
    await offersFor(on, { ...BODY, purchases: [{ product_id: '1', quantity: 2 }] });
  }),
  rule('A6.session', 'Every call opens a session of its own, whose id is a UUID.', async (on) => {
    const [one, other] = [await on.world.openSession(), await on.world.openSession()];
    expect(one.exchange, 'a session_id that is a UUID', UUID.test(one.session_id));
    expect(other.exchange, 'another session_id than the call before', one.session_id !== other.session_id);
  }),
  rule('A6.urls', 'Every URL is http or https.', async (on) => {
    const { exchange } = await on.world.session();
    for (const [name, text] of textsOf(exchange.json))
      if (name.endsWith('url')) expect(exchange, `${name} that begins with http or https`, /^https?:\/\//.test(text));
  }),
  rule('A6.offers', 'Each offer can be shown: it has an advertiser, a heading, a URL and its labels.', async (on) => {
    const { exchange } = await on.world.session();
    const read = readRecommendations(exchange.json, { allowLoopback: true });
    const problems = read.ok
      ? read.value.left_out.map(({ offer_id, reason }) => `offer ${offer_id}: ${reason}`).join('; ')
      : problemsText(read.problems);
    expect(exchange, `offers of which none is left out (${problems})`, problems === '');
  }),
  rule('A6.groups', 'Each place refers to an offer of the response, and its insertion_id is unique.', async (on) => {
    const { exchange } = await on.world.session();
    const placed = readPlaced(exchange.json);
    const offers = own(exchange.json, 'recommendations');
    expect(
      exchange,
      'items whose offer_id is a key of recommendations',
      placed.every(({ offer_id }) => isObject(own(offers, offer_id))),
    );
    expect(
      exchange,
      'an insertion_id for each item',
      new Set(placed.map(({ insertion_id }) => insertion_id)).size === placed.length,
    );
  }),
  rule('A7.shape', 'recommendations is an object.', async (on) => {
    const { exchange } = await on.world.openSession();
    expect(exchange, '"recommendations": { … }', isObject(own(exchange.json, 'recommendations')));
  }),
  rule('A8.sandbox', 'is_sandbox is answered with "sandbox": true.', async (on) => {
    const { exchange } = await on.world.openSession({ custom_metadata: { is_sandbox: true } });
    expect(exchange, '"sandbox": true', own(exchange.json, 'sandbox') === true);
  }),
  rule('A8.real', 'Without is_sandbox, a response is not marked as a test.', async (on) => {
    const { exchange } = await on.world.openSession();
    expect(exchange, 'no "sandbox": true', own(exchange.json, 'sandbox') !== true);
  }),
  refuses('A8.type', 'is_sandbox must be a boolean.', { ...BODY, custom_metadata: { is_sandbox: 'true' } }),
]);
