import { expect, test } from 'vitest';
import { checkNetwork, createRelay, RelayConfigError, type RelayOptions } from '../../src/relay.ts';
import { refuseBrowser } from '../../src/wire/refuseBrowser.ts';
import { json, KEY } from './fakeNetwork.ts';

const GOOD: RelayOptions = { apiKey: KEY, version: '1.0.0', baseUrl: 'https://network.example' };
const LIVE = 'adnet_rk_live_0123456789';

test.each<[string, Partial<Record<keyof RelayOptions | 'apikey', unknown>>, RegExp]>([
  ['no key', { apiKey: undefined }, /apiKey is missing: give the integration key/],
  ['an empty key', { apiKey: '' }, /apiKey is missing/],
  ['a key with a line break', { apiKey: `${KEY}\n` }, /copy it again/],
  ['a publishable key', { apiKey: 'adnet_pk_test_1' }, /publishable key.*needs the integration key/],
  ['no version', { version: undefined }, /pin the version.*version: '1\.0\.0'/],
  ['a version in words', { version: 'latest' }, /pin the version/],
  ['no address', { baseUrl: undefined }, /baseUrl: 'https:\/\/partner\.example'/],
  ['an address without a scheme', { baseUrl: 'network.example' }, /baseUrl is missing or is no address/],
  ['another scheme', { baseUrl: 'ftp://network.example' }, /must begin with https/],
  ['credentials in the address', { baseUrl: 'https://a:b@network.example' }, /password/],
  ['a query in the address', { baseUrl: 'https://network.example/?a=1' }, /query/],
  ['a live key in the clear', { apiKey: LIVE, baseUrl: 'http://network.example' }, /in the clear/],
  ['an unknown environment', { environment: 'prod' }, /environment must be 'production' or 'staging'/],
  [
    'a test key for production',
    { environment: 'production' },
    /staging \(…_test_…\) key but environment is 'production'/,
  ],
  [
    'a live key for staging',
    { apiKey: LIVE, environment: 'staging' },
    /production \(…_live_…\) key but environment is 'staging'/,
  ],
  ['a wildcard origin', { allowedOrigins: ['*'] }, /exact origins only/],
  ['an origin with a slash', { allowedOrigins: ['https://shop.example/'] }, /no slash at the end/],
  ['the null origin', { allowedOrigins: ['null'] }, /exact origins only/],
  ['one origin that is no list', { allowedOrigins: 'https://shop.example' }, /must be a list/],
  ['a base path without a slash', { basePath: 'offers' }, /begins with a slash/],
  ['a base path that climbs', { basePath: '/a/../b' }, /plain path/],
  ['a wrong word for emails', { emails: 'plain' }, /emails must be 'hash' or 'raw'/],
  ['a word for a flag', { sandbox: 'yes' }, /sandbox must be true or false/],
  [
    'a timeout of 0',
    { timeouts: { events: 0 } },
    /timeouts\.events must be a number of milliseconds between 1 and 120000/,
  ],
  [
    'an unknown timeout',
    { timeouts: { event: 1 } },
    /timeouts has no 'event': it takes recommendations, events, body, context/,
  ],
  ['a limit that is no number', { limits: { eventsBytes: '1' } }, /limits\.eventsBytes must be a number of bytes/],
  [
    'a bucket without a size',
    { rateLimit: { perAddress: { burst: 1 } } },
    /rateLimit\.perAddress must be two numbers above 0/,
  ],
  [
    'a session bucket that holds no batch',
    { rateLimit: { perSession: { burst: 10, perSecond: 5 } } },
    /rateLimit\.perSession\.burst is 10, so a batch of 20 events .* could never pass\. Use 20 or more/,
  ],
  ['rateLimit: true', { rateLimit: true }, /rateLimit must be false/],
  ['a store that is none', { seen: new Map() }, /seen must have claim, accept and release/],
  ['a context that is no function', { context: {} }, /context must be a function/],
  ['a header name with a colon', { addressHeader: 'x-real-ip:' }, /addressHeader must be the name/],
  [
    'a word for the limits',
    { limits: 'small' },
    /limits must be an object of bytes, such as limits: \{ recommendationsBytes: 16384 \}/,
  ],
  ['a bucket of another kind', { rateLimit: { perShop: {} } }, /rateLimit has no 'perShop'/],
  ['a log that is no function', { onLog: console }, /onLog must be a function/],
  ['a fetch that is no function', { fetch: 'fetch' }, /fetch must be a function/],
  ['no option at all', { apiKey: null, version: null, baseUrl: null }, /apiKey is missing/],
  ['a misspelt option', { apikey: 'x' }, /no option 'apikey': it takes apiKey, version/],
])('%s stops the start with a sentence that says what to write', (_, bad, message) => {
  const start = (): unknown => createRelay({ ...GOOD, ...bad } as RelayOptions);
  expect(start).toThrow(RelayConfigError);
  expect(start).toThrow(message);
  expect(start).not.toThrow(new RegExp(KEY));
});

test.each<[string, RelayOptions]>([
  ['a test key on staging', { ...GOOD, environment: 'staging' }],
  ['a live key on production', { ...GOOD, apiKey: LIVE, environment: 'production' }],
  ['a key of another network', { ...GOOD, apiKey: 'partner-key-1', environment: 'production' }],
  ['a local network in the clear', { ...GOOD, baseUrl: 'http://127.0.0.1:4600' }],
  [
    'every option left undefined',
    { ...GOOD, environment: undefined, timeouts: undefined, seen: undefined, rateLimit: undefined },
  ],
])('%s starts', (_, options) => {
  expect(createRelay(options)).toBeTypeOf('function');
});

test('a key and an address from variables that are not set are found out at the start', async () => {
  const apiKey = process.env['OFFERLET_NO_SUCH_KEY'];
  const baseUrl = process.env['OFFERLET_NO_SUCH_NETWORK'];
  expect(() => createRelay({ apiKey, version: '1.0.0', baseUrl: GOOD.baseUrl })).toThrow(
    /apiKey is missing.*apiKey: process\.env\.OFFERLET_API_KEY/,
  );
  expect(() => createRelay({ apiKey: KEY, version: '1.0.0', baseUrl })).toThrow(/baseUrl is missing/);
  await expect(checkNetwork({ apiKey, baseUrl })).rejects.toThrow(/apiKey is missing/);
  await expect(checkNetwork({ apiKey: KEY, baseUrl: 'partner.example' })).rejects.toThrow(/is no address/);
});

test.each([
  ['staging', KEY, undefined],
  ['production', LIVE, undefined],
  ['production', KEY, /test key.*is a production network: give a live key, or the address of the staging network/],
  ['staging', LIVE, /live key.*is a staging network: give a test key, or the address of the production network/],
])('a %s network checks the key %s', async (environment, apiKey, refusal) => {
  const asked: Request[] = [];
  const check = checkNetwork({
    apiKey,
    baseUrl: 'https://network.example/',
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

test('a key that is of no known form is a warning, whatever the network says of itself', async () => {
  const fetch = async (): Promise<Response> => json(200, { status: 'ok', environment: 'staging', version: '1.0.0' });
  const check = await checkNetwork({ ...GOOD, apiKey: 'nonsense', fetch });
  expect(check.warning).toMatch(/does not look like an integration key/);
});

test('the relay refuses to load on a page, and only there', () => {
  expect(() => refuseBrowser('offerlet/relay', { window: {}, document: {} })).toThrow(/must not run in a browser/);
  expect(() => refuseBrowser('offerlet/relay', { window: {}, Deno: {} })).not.toThrow();
  expect(() => refuseBrowser('offerlet/relay', { self: {}, importScripts: {} })).not.toThrow();
});
