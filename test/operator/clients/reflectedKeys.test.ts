import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChannelClient } from '../../../src/operator/clients/ChannelClient.ts';
import { ApiError } from '../../../src/operator/clients/errors.ts';
import { ReportingClient } from '../../../src/operator/clients/ReportingClient.ts';
import { openScriptedServer, type ScriptedServer } from './scriptedServer.ts';

const KEY = 'adnet_sk_test_canary0123456789';
const escaped = [...KEY].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const FORMS: readonly (readonly [form: string, text: string])[] = [
  ['as it is', KEY],
  ['in capitals', KEY.toUpperCase()],
  ['in JSON escapes', escaped],
  ['in base64', btoa(KEY)],
  ['in hexadecimal', Buffer.from(KEY).toString('hex')],
  ['with an invisible character', `${KEY.slice(0, 9)}\u200B${KEY.slice(9)}`],
];

let server: ScriptedServer;
beforeEach(async () => {
  server = await openScriptedServer();
});
afterEach(() => server.close());

async function failureOf(apiKey = KEY): Promise<{ error: ApiError; notices: unknown[] }> {
  const notices: unknown[] = [];
  const onResponse = (notice: unknown): void => void notices.push(notice);
  const client = new ChannelClient({ networkUrl: server.url, apiKey, maxRetries: 0, onResponse });
  const error: unknown = await client.categories().catch((reason: unknown) => reason);
  if (!(error instanceof ApiError)) throw new Error(`expected a ApiError, got ${String(error)}`);
  return { error, notices };
}

test.each(FORMS)('an error says nothing of a key that the network repeats %s', async (_, text) => {
  server.responses = [{ status: 401, body: `{"detail":"No such key: ${text}"}` }];
  const { error } = await failureOf();
  expect(error.status).toBe(401);
  expect(error.message).not.toMatch(/canary|Y2FuYXJ5|63616e617279/i);
});

test.each(FORMS)('neither a list nor a report that repeats the key %s is returned', async (_, text) => {
  server.responses = [{ body: `{"categories":[{"name":"${text}","remote_id":"1","subcategories":[]}]}` }];
  const { error } = await failureOf();
  expect(error.message).toMatch(/ returned 200, but the response was withheld: it contained the key\.$/);
});

test('the owner of a publishable key reads it in the response', async () => {
  const apiKey = 'adnet_pk_test_canary0123456789';
  server.responses = [{ body: { publisher: { brand_name: 'One', api_key: apiKey } } }];
  const client = new ChannelClient({ networkUrl: server.url, apiKey, maxRetries: 0 });
  expect((await client.publisher('one')).api_key).toBe(apiKey);
});

test.each([KEY, KEY.toUpperCase(), btoa(KEY), 'two words', 'x'.repeat(200), '::set-env name=A::b'])(
  'a request id that could not be one is none: %s',
  async (id) => {
    server.responses = [{ status: 500, body: {}, headers: { 'x-request-id': id } }];
    const { error, notices } = await failureOf();
    expect(error.requestId).toBeUndefined();
    expect(notices).toEqual([expect.objectContaining({ status: 500, requestId: undefined })]);
  },
);

test.each(['req-1', '6f1c7b7e-58c5-4b53-9d0c-2c9f1d0b7a11', 'Root=1-67891233-abcdef012345678912345678'])(
  'the request id %s is that of the error',
  async (id) => {
    server.responses = [{ status: 500, body: {}, headers: { 'x-request-id': id } }];
    const { error } = await failureOf();
    expect(error.requestId).toBe(id);
  },
);

test.each(['adnet_sk_live_canary0123456789', 'another-networks-key'])(
  'the key %s, which may be live, is not sent in the clear',
  (apiKey) => {
    const open = (networkUrl: string): unknown => [
      new ChannelClient({ networkUrl, apiKey }),
      new ReportingClient({ networkUrl, apiKey, variant: 'channel' }),
    ];
    expect(() => open('http://channel.example')).toThrow(
      /^networkUrl is not https, so a (live key|key that may be live) would be sent in the clear\. Use/,
    );
    for (const url of ['https://channel.example', 'http://127.0.0.1:4600', 'http://localhost', 'http://[::1]:1'])
      expect(() => open(url), url).not.toThrow();
  },
);

test('a test key may be sent to a network in a container', () => {
  expect(() => new ChannelClient({ networkUrl: 'http://network:4600', apiKey: KEY })).not.toThrow();
});
