import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChannelClient } from '../../../src/operator/clients/ChannelClient.ts';
import { ApiError } from '../../../src/operator/clients/errors.ts';
import { ReportingClient } from '../../../src/operator/clients/ReportingClient.ts';
import { openScriptedServer, type ScriptedServer } from './scriptedServer.ts';

const KEY = 'adnet_sk_test_canary0123456789';

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

test('a list that repeats the key is not returned', async () => {
  server.responses = [{ body: `{"categories":[{"name":"${KEY}","remote_id":"1","subcategories":[]}]}` }];
  const { error } = await failureOf();
  expect(error.message).toMatch(/ returned 200, but the response was withheld: it contained the key\.$/);
});

test('the owner of a publishable key reads it in the response', async () => {
  const apiKey = 'adnet_pk_test_canary0123456789';
  server.responses = [{ body: { publisher: { brand_name: 'One', api_key: apiKey } } }];
  const client = new ChannelClient({ networkUrl: server.url, apiKey, maxRetries: 0 });
  expect((await client.publisher('one')).api_key).toBe(apiKey);
});

test.each([
  ...[KEY, KEY.toUpperCase(), 'two words', 'x'.repeat(200), '::set-env name=A::b'].map((id) => [id, undefined]),
  ...['req-1', 'Root=1-67891233-abcdef012345678912345678'].map((id) => [id, id]),
])('an error with the request id %s has the id %s', async (id = '', requestId) => {
  server.responses = [{ status: 500, body: {}, headers: { 'x-request-id': id } }];
  const { error, notices } = await failureOf();
  expect(error.requestId).toBe(requestId);
  expect(notices).toEqual([expect.objectContaining({ status: 500, requestId })]);
});

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
