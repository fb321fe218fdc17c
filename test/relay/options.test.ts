import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { openDedupeRedis } from '../../src/relay-redis.ts';
import {
  checkNetwork,
  createRelay,
  createDedupeMemory,
  RelayConfigError,
  type LogEntry,
  type Relay,
  type RelayOptions,
} from '../../src/relay.ts';
import { refuseBrowser } from '../../src/wire/keys.ts';
import { ask, createScriptedNetwork, json, KEY } from './scriptedNetwork.ts';

const GOOD: RelayOptions = { apiKey: KEY, version: '1.0.0', networkUrl: 'https://network.example' };
const LIVE = 'adnet_rk_live_0123456789';

test.each<[Partial<Record<keyof RelayOptions | 'apikey', unknown>>, RegExp]>([
  [{ apiKey: undefined }, /apiKey is missing\. Use the integration key, such as process\.env\.OFFERLET_API_KEY/],
  [{ apiKey: '' }, /apiKey is missing/],
  [{ apiKey: `${KEY}\n` }, /apiKey contains a space, a line break .* Copy it again/],
  [{ apiKey: 'adnet_pk_test_1' }, /apiKey is a publishable key \(adnet_pk_…\)\. Use the integration key/],
  [{ apiKey: 'adnet_sk_test_1' }, /apiKey is a management key \(adnet_sk_…\)\. Use the integration key/],
  [{ apiKey: 'adnet_sk_1' }, /apiKey is a management key/],
  [{ version: undefined }, /version is missing\. Use .* such as "1\.0\.0"/],
  ...['1', '1.0', 'v1.0.0', '1.0.0-beta', '1.0.0.0'].map((version): [object, RegExp] => [
    { version },
    /version is not a version: .*Use the three numbers/,
  ]),
  [{ version: 'latest' }, /version is not a version: "latest"\. Use/],
  [{ networkUrl: undefined }, /networkUrl is missing\. Use something like "https:\/\/partner\.example"/],
  [{ networkUrl: 'network.example' }, /networkUrl is not a valid URL: "network\.example"\. Use something like/],
  [{ networkUrl: 'ftp://network.example' }, /must begin with https/],
  [{ networkUrl: 'https://a:b@network.example' }, /password/],
  [{ networkUrl: 'https://network.example/?a=1' }, /query/],
  [{ networkUrl: 'https://network.example/#a' }, /fragment/],
  [{ apiKey: LIVE, networkUrl: 'http://network.example' }, /a live key would be sent in the clear/],
  [{ apiKey: 'partner-key-1', networkUrl: 'http://network.example' }, /a key that may be live would be/],
  [{ apiKey: () => LIVE, environment: 'production', networkUrl: 'http://network.example' }, /in the clear/],
  [{ environment: 'prod' }, /environment must be 'production' or 'staging'/],
  [
    { environment: 'production' },
    /apiKey is a staging \(…_test_…\) key, but the environment is production\. Use the production \(…_live_…\) key/,
  ],
  [{ apiKey: LIVE, environment: 'staging' }, /apiKey is a production \(…_live_…\) key, but the environment is staging/],
  [{ allowedOrigins: ['*'] }, /allowedOrigins contains "\*"\. Use exact origins/],
  [{ allowedOrigins: ['https://shop.example/'] }, /no slash at the end/],
  [{ allowedOrigins: ['null'] }, /Use exact origins/],
  [{ allowedOrigins: 'https://shop.example' }, /must be a list/],
  [{ basePath: 'offers' }, /begins with a slash/],
  [{ basePath: '/a/../b' }, /Use a plain path/],
  [{ emails: 'plain' }, /emails must be 'hash' or 'raw'/],
  [{ sandbox: 'yes' }, /sandbox must be true or false/],
  [{ timeouts: { events: 0 } }, /timeouts\.events must be a number of milliseconds between 1 and 120000/],
  [
    { timeouts: { event: 1 } },
    /timeouts has no 'event'\. It takes recommendations, events, body, authorize, context, dedupe/,
  ],
  [{ limits: { eventsBytes: '1' } }, /limits\.eventsBytes must be a number of bytes/],
  [{ rateLimit: { perAddress: { burst: 1 } } }, /rateLimit\.perAddress must have two numbers above 0/],
  [
    { rateLimit: { perSession: { burst: 10, perSecond: 5 } } },
    /rateLimit\.perSession\.burst is 10, so a batch of 20 events .* could never pass\. Use 20 or more/,
  ],
  [
    { rateLimit: { perAddress: { burst: 0.5, perSecond: 1 } } },
    /rateLimit\.perAddress\.burst is 0\.5, so no request could ever pass\. Use 1 or more/,
  ],
  [
    { dedupe: { ...createDedupeMemory(), claimMs: 11_999 } },
    /dedupe has a claimMs of 11999, but an event can be on its way for 12000 milliseconds/,
  ],
  [
    { dedupe: { ...createDedupeMemory(), claimMs: 20_000 }, timeouts: { events: 30_000 } },
    /Use a claimMs of 34000 or more, or shorter timeouts/,
  ],
  ...['Forwarded', 'cookie', 'host'].map((header): [object, RegExp] => [
    { addressHeader: header },
    /addressHeader must not be ".*Use a header .* such as "x-forwarded-for", "x-real-ip"/,
  ]),
  [{ rateLimit: true }, /rateLimit must be false/],
  [
    { dedupe: new Map() },
    /dedupe must have claim, accept and release\. Use createDedupeMemory\(\), await openDedupeFile\(/,
  ],
  [{ context: {} }, /context must be a function/],
  [{ trustedHops: 0 }, /trustedHops must be a whole number between 1 and 16, not 0/],
  [{ trustedHops: 2 }, /trustedHops counts the entries of addressHeader, which is missing\./],
  [{ addressHeader: 'x-real-ip:' }, /addressHeader is not the name of a header: "x-real-ip:"/],
  [{ limits: 'small' }, /limits must be an object of bytes, such as \{ recommendationsBytes: 16384 \}/],
  [{ rateLimit: { perShop: {} } }, /rateLimit has no 'perShop'/],
  [{ onLog: console }, /onLog must be a function/],
  [{ fetch: 'fetch' }, /fetch must be a function/],
  [{ apiKey: null, version: null, networkUrl: null }, /apiKey is missing/],
  [{ apikey: 'x' }, /no option 'apikey'\. Its options are apiKey, version/],
])('%o stops the start with a sentence that says what to use', (bad, message) => {
  const start = (): unknown => createRelay({ ...GOOD, ...bad } as RelayOptions);
  expect(start).toThrow(RelayConfigError);
  expect(start).toThrow(message);
  expect(start).not.toThrow(new RegExp(KEY));
});

test('an error says which option it is about, for programs that call it something else', () => {
  const start = (options: object): RelayConfigError => {
    try {
      createRelay({ ...GOOD, ...options });
    } catch (error) {
      if (error instanceof RelayConfigError) return error;
    }
    throw new Error('It started.');
  };
  expect(start({ networkUrl: 'foo' })).toMatchObject({
    option: 'networkUrl',
    problem: 'is not a valid URL: "foo". Use something like "https://partner.example".',
  });
  expect(start({ timeouts: { body: 0 } }).option).toBe('timeouts.body');
  expect(start({ networkUrl: LIVE }).message).not.toContain(LIVE);
});

const FOREIGN_KEY = 'ck9f83hG2kd0Pq7Zx41b';
test.each<[string, object]>([
  ['version', { version: FOREIGN_KEY }],
  ['networkUrl', { networkUrl: FOREIGN_KEY }],
  ['the path of networkUrl', { networkUrl: `https://partner.example/${LIVE}/` }],
  ['the user name of networkUrl', { networkUrl: `https://${FOREIGN_KEY}@partner.example` }],
  ['the query of networkUrl', { networkUrl: `https://partner.example/?key=${FOREIGN_KEY}` }],
  ['basePath', { basePath: FOREIGN_KEY }],
  ['environment', { environment: FOREIGN_KEY }],
  ['emails', { emails: FOREIGN_KEY }],
  ['allowedOrigins', { allowedOrigins: [FOREIGN_KEY] }],
  ['allowedOrigins, as an object', { allowedOrigins: [{ key: LIVE }] }],
  ['addressHeader', { addressHeader: `${FOREIGN_KEY}:` }],
  ['the name of an option', { [FOREIGN_KEY]: 1 }],
  ['the name of a timeout', { timeouts: { [FOREIGN_KEY]: 1 } }],
  ['the name of a limit', { limits: { [LIVE]: 1 } }],
  ['the name of a rate limit', { rateLimit: { [FOREIGN_KEY]: {} } }],
  ['apiKey, with a line break', { apiKey: `${FOREIGN_KEY}\n` }],
  ['apiKey, of another kind', { apiKey: `adnet_sk_live_${FOREIGN_KEY}` }],
])('a key that was used for %s is not repeated by the error', (_, options) => {
  const message = messageOf(() => createRelay({ ...GOOD, ...options }));
  expect(message).not.toBe('');
  expect(message).not.toContain(FOREIGN_KEY);
  expect(message).not.toContain(LIVE);
});

test('stores repeat no key and no password in their errors', async () => {
  for (const url of [`redis://user:${FOREIGN_KEY}@host:port`, `redis:/user:${FOREIGN_KEY}@host`, FOREIGN_KEY]) {
    const error: unknown = await openDedupeRedis({ url }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(RelayConfigError);
    expect(inspect(error)).not.toContain(FOREIGN_KEY);
  }
  expect(messageOf(() => createDedupeMemory({ max: FOREIGN_KEY as unknown as number }))).not.toContain(FOREIGN_KEY);
});

function messageOf(start: () => unknown): string {
  try {
    start();
    return '';
  } catch (error) {
    return String(error);
  }
}

test.each<[string, RelayOptions]>([
  ['a test key on staging', { ...GOOD, environment: 'staging' }],
  ['a live key on production', { ...GOOD, apiKey: LIVE, environment: 'production' }],
  ['a key of another network', { ...GOOD, apiKey: 'partner-key-1', environment: 'production' }],
  ['a local network in the clear', { ...GOOD, networkUrl: 'http://127.0.0.1:4600' }],
  ['a staging network in the clear', { ...GOOD, networkUrl: 'http://network:4600' }],
  [
    'a staging network in the clear, with a key that is read later',
    { ...GOOD, apiKey: () => KEY, networkUrl: 'http://network:4600' },
  ],
  [
    'a key of another network, said to be for staging',
    { ...GOOD, apiKey: 'partner-key-1', environment: 'staging', networkUrl: 'http://network:4600' },
  ],
  [
    'every option left undefined',
    { ...GOOD, environment: undefined, timeouts: undefined, dedupe: undefined, rateLimit: undefined },
  ],
])('%s starts', (_, options) => {
  expect(createRelay(options)).toBeTypeOf('function');
});

test.each([
  ['staging', KEY, undefined],
  ['production', LIVE, undefined],
  [
    'production',
    KEY,
    /apiKey is a test key.*is a production network\. Use a live key, or the URL of the staging network/,
  ],
  [
    'staging',
    LIVE,
    /apiKey is a live key.*is a staging network\. Use a test key, or the URL of the production network/,
  ],
])('a %s network checks the key %s', async (environment, apiKey, refusal) => {
  const asked: Request[] = [];
  const check = checkNetwork({
    apiKey,
    networkUrl: 'https://network.example/',
    fetch: async (input, init) => {
      asked.push(new Request(input, init));
      return json(200, { status: 'ok', environment, version: '1.0.0' });
    },
  });
  if (refusal) await expect(check).rejects.toThrow(refusal);
  else expect(await check).toEqual({ environment, version: '1.0.0' });
  expect(asked[0]?.url).toBe('https://network.example/health');
  expect(JSON.stringify(Object.fromEntries(asked[0]?.headers ?? []))).not.toContain(apiKey);
});

test.each([
  ['answers 404', async () => json(404, { message: 'Not found' })],
  ['answers HTML', async () => new Response('<html>')],
  ['cannot be reached', async () => Promise.reject(new TypeError('fetch failed'))],
])('a network that %s is a warning only', async (_, fetch) => {
  expect((await checkNetwork({ ...GOOD, fetch })).warning).toMatch(
    /^https:\/\/network\.example\/health .*could not be checked/,
  );
});

test('a key of no known form is a warning, whatever the network says about itself', async () => {
  const fetch = async (): Promise<Response> => json(200, { status: 'ok', environment: 'staging', version: '1.0.0' });
  const check = await checkNetwork({ ...GOOD, apiKey: 'nonsense', fetch });
  expect(check.warning).toMatch(/does not look like an integration key/);
});

test('the relay refuses to load on a page, and only there', () => {
  expect(() => refuseBrowser('offerlet/relay', { window: {}, document: {} })).toThrow(/must not run in a browser/);
  expect(() => refuseBrowser('offerlet/relay', { window: {}, Deno: {} })).not.toThrow();
  expect(() => refuseBrowser('offerlet/relay', { self: {}, importScripts: {} })).not.toThrow();
});

test('a key given as a function is read with the first request, not when the module is loaded', async () => {
  const environment: { key?: string; url?: string } = {};
  const network = createScriptedNetwork();
  const logs: LogEntry[] = [];
  const relayWith = (networkUrl: string | undefined): Relay =>
    createRelay({
      ...GOOD,
      networkUrl,
      apiKey: () => environment.key,
      fetch: network.fetch,
      onLog: (entry) => logs.push(entry),
    });
  const built = relayWith(undefined);
  expect((await ask(built)).status).toBe(500);
  const relay = relayWith(GOOD.networkUrl);
  const refused = await ask(relay);
  expect(refused.status).toBe(500);
  expect(await refused.json()).toEqual({ message: 'The relay is not configured. Its log says what is missing.' });
  expect(network.calls).toEqual([]);
  environment.key = 'adnet_sk_test_canary';
  expect((await ask(relay)).status).toBe(500);
  environment.key = KEY;
  expect((await ask(relay)).status).toBe(200);
  expect((await ask(built)).status).toBe(500);
  expect(logs.filter(({ level }) => level === 'error').map(({ error }) => error)).toEqual([
    expect.stringMatching(/^apiKey is missing/),
    expect.stringMatching(/^apiKey is missing/),
    expect.stringMatching(/^apiKey is a management key \(adnet_sk_…\)/),
    expect.stringMatching(/^networkUrl is missing/),
  ]);
  expect(JSON.stringify(logs)).not.toContain('canary');
});

test('with a key that is read later, every other wrong option still stops the start', () => {
  expect(() => createRelay({ ...GOOD, apiKey: () => KEY, basePath: 'offers' })).toThrow(/basePath is not a path/);
  expect(() => createRelay({ ...GOOD, apiKey: () => KEY, networkUrl: 'network.example' })).toThrow(
    /networkUrl is not a valid/,
  );
});
