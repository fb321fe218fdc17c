import { expect, test } from 'vitest';
import { ofTest } from '../../fixtures/opened.ts';
import { ChannelClient } from '../../../src/operator/clients/ChannelClient.ts';
import { ApiError } from '../../../src/operator/clients/errors.ts';
import { openScriptedServer } from './scriptedServer.ts';

const KEY = 'adnet_sk_test_canary0123456789';

const server = ofTest(openScriptedServer);

async function failureOf(apiKey = KEY): Promise<{ error: ApiError; notices: unknown[] }> {
  const notices: unknown[] = [];
  const onResponse = (notice: unknown): void => void notices.push(notice);
  const client = new ChannelClient({ networkUrl: server.url, apiKey, maxRetries: 0, onResponse });
  const error: unknown = await client.categories().catch((reason: unknown) => reason);
  if (!(error instanceof ApiError)) throw new Error(`expected a ApiError, got ${String(error)}`);
  return { error, notices };
}

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
