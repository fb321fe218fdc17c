// A network of its own: the Recommendations API and its events, in memory. `offerlet-sandbox verify` says that it keeps
// their contract. Start here: put your offers in OFFERS, and a database where the two Maps are.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const { PORT = '4700', API_KEY = 'adnet_sk_test_minimal_network' } = process.env;
const OFFERS = ['Coffee', 'Tea'].map((name, at) => ({
  advertiser: { id: `advertiser-${at}`, name: `${name} & Co` },
  offer: {
    id: `offer-${at}`,
    heading: `20 % off your first ${name.toLowerCase()}`,
    target_url: `https://${name.toLowerCase()}.example/welcome`,
    cta_details: { accept_copy: 'Get the code', decline_copy: 'No, thanks' },
  },
}));

const VIEWS = ['ORDER_STATUS', 'CHECKOUT', 'THANK_YOU', 'POST_ORDER', 'ORDER_TRACKING', 'SUPPORT_CENTER'];
const MODES = ['OVERLAY', 'FULLSCREEN', 'PULLUP', 'INLINE'];
const IDENTIFIERS = ['email', 'email_hash', 'phone', 'external_guid'];
const WIDGET_EVENTS = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW'];
const OFFER_EVENTS = ['BRAND_DISPLAY', 'BRAND_VIEW', 'BRAND_CLICK', 'PRODUCT_DISPLAY', 'PRODUCT_VIEW', 'PRODUCT_CLICK'];
const EVENTS = [...WIDGET_EVENTS, ...OFFER_EVENTS, 'ELEMENT_CLICK', 'CONVERSION'];
const TARGETS = /^INLINE_(SLOT|TILE|ACTION_BUTTON|ASSET_TILE|NAV_FORWARD|NAV_BACKWARD|FOOTER_BRAND|FOOTER_PRIVACY)$/;
const DATETIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const MINUTE = 60_000;
const MAX_BYTES = 64 * 1024;

/** Sessions by id: when each was opened, and the offer of each of its insertions. */
const sessions = new Map();
/** Accepted events by session and event_id: a duplicate is accepted, and counts once. */
const events = new Map();

/** A whole call that is refused. */
class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

const isText = (value) => typeof value === 'string' && value.trim() !== '';
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const refuseIf = (isWrong, message) => {
  if (isWrong) throw new Refusal(400, message);
};

function recommend({ user_details: user, placement_details: placement, custom_metadata: metadata }) {
  refuseIf(!isObject(user), 'user_details is required.');
  const named = IDENTIFIERS.filter((name) => isText(user[name]));
  refuseIf(named.length !== 1, `user_details needs exactly one of ${IDENTIFIERS.join(', ')}.`);
  refuseIf(isText(user.email_hash) && !/^[\da-f]{64}$/i.test(user.email_hash), 'email_hash is not a SHA-256 in hex.');
  refuseIf(!isObject(placement), 'placement_details is required.');
  refuseIf(!VIEWS.includes(placement.view), `view is not one of ${VIEWS.join(', ')}.`);
  refuseIf(!MODES.includes(placement.display_mode), `display_mode is not one of ${MODES.join(', ')}.`);
  const isSandbox = metadata?.is_sandbox;
  refuseIf(isSandbox !== undefined && typeof isSandbox !== 'boolean', 'is_sandbox is not a boolean.');

  const session_id = randomUUID();
  const items = OFFERS.map(({ advertiser, offer }, insertion_order) => ({
    insertion_order,
    insertion_id: randomUUID(),
    offer_id: offer.id,
    advertiser_id: advertiser.id,
  }));
  const insertions = new Map(items.map(({ insertion_id, offer_id }) => [insertion_id, offer_id]));
  sessions.set(session_id, { opened: Date.now(), insertions });
  return {
    session_id,
    recommendations: Object.fromEntries(OFFERS.map((each) => [each.offer.id, each])),
    recommendation_groups: [{ id: 'group_0', items }],
    ...(isSandbox && { sandbox: true }),
  };
}

/** Stores an event. Returns why it was refused, for good, or undefined. */
function record(event) {
  const invalid = (message) => ({ code: 'INVALID_EVENT', message, retryable: false });
  const refused = (code, message) => ({ code, message, retryable: false });
  if (!isObject(event)) return invalid('An event is an object.');
  const { event_name: name, event_datetime: time, session_id, brand_properties: brand } = event;
  if (!EVENTS.includes(name)) return invalid(`event_name is not one of ${EVENTS.join(', ')}.`);
  if (!DATETIME.test(time) || Number.isNaN(Date.parse(time))) return invalid('event_datetime is not an RFC 3339 time.');
  const target = event.initiating_target;
  if (target === undefined ? name === 'ELEMENT_CLICK' : !TARGETS.test(target))
    return invalid('initiating_target names no part of the widget.');
  if (name === 'CONVERSION' && !isText(event.conversion_properties?.conversion_id))
    return invalid('conversion_properties.conversion_id is required.');
  if (!isText(session_id)) return invalid('session_id is required.');
  const session = sessions.get(session_id);
  if (!session) return refused('UNKNOWN_SESSION', 'session_id names no session.');
  if (Date.parse(time) > Date.now() + 5 * MINUTE) return refused('EVENT_IN_THE_FUTURE', 'event_datetime is ahead.');
  if (Date.parse(time) < session.opened - 5 * MINUTE)
    return refused('EVENT_BEFORE_SESSION', 'event_datetime is before the session.');
  if (brand === undefined ? OFFER_EVENTS.includes(name) || name === 'CONVERSION' : !isObject(brand))
    return invalid('brand_properties is required.');
  if (brand && session.insertions.get(brand.insertion_id) !== brand.offer_id)
    return refused('UNKNOWN_INSERTION', 'brand_properties names no insertion of the session.');
  const key = `${session_id} ${event.event_id ?? randomUUID()}`;
  if (!events.has(key)) events.set(key, event);
  return undefined;
}

function recordAll({ events: batch }) {
  refuseIf(!Array.isArray(batch) || batch.length === 0 || batch.length > 20, 'events is not a list of 1 to 20 events.');
  const results = batch.map((event, index) => {
    const error = record(event);
    return { index, success: !error, ...(error && { error }) };
  });
  const accepted = results.filter(({ success }) => success).length;
  const failed = results.length - accepted;
  return [failed === 0 ? 202 : accepted > 0 ? 207 : 502, { results, accepted, failed }];
}

const ROUTES = {
  '/recommendations': (body) => [200, recommend(body)],
  '/events': (body) => {
    const error = record(body);
    refuseIf(error, error?.message);
    return [201];
  },
  '/events/batch': recordAll,
};

async function respond(request) {
  const route = ROUTES[new URL(request.url, 'http://localhost').pathname];
  if (!route) throw new Refusal(404, 'There is nothing here.');
  if (request.method !== 'POST') throw new Refusal(405, 'Use POST.');
  if (request.headers['x-api-key'] !== API_KEY) throw new Refusal(401, 'x-api-key is missing or wrong.');
  refuseIf(!/^1\.\d+\.\d+$/.test(request.headers.version), 'version is not 1.0.0 or another 1.x.');
  if (!/^application\/json\b/.test(request.headers['content-type']))
    throw new Refusal(415, 'Use Content-Type: application/json.');
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) if (text.length <= MAX_BYTES) text += chunk;
  if (Buffer.byteLength(text) > MAX_BYTES) throw new Refusal(413, 'The body is larger than 64 KiB.');
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The body is not JSON.');
  }
  refuseIf(!isObject(body), 'The body is not an object.');
  return route(body);
}

const server = createServer((request, response) => {
  void respond(request)
    .catch((error) => [error.status ?? 500, { message: error.message }])
    .then(([status, body]) => {
      response
        .writeHead(status, { allow: 'POST', ...(body && { 'content-type': 'application/json' }) })
        .end(body && JSON.stringify(body));
    });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
