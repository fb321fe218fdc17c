import { expect, test } from 'vitest';
import { RESPONSE, json, REQUEST, setUp } from '../scriptedNetwork.ts';

test('a relay in sandbox mode marks request and response, whatever the page says', async () => {
  const { network, post } = setUp({ sandbox: true });
  const response = await post('/recommendations', {
    ...REQUEST,
    custom_metadata: { is_sandbox: false, campaign: 'x' },
  });
  expect(network.calls[0]?.body['custom_metadata']).toEqual({ is_sandbox: true, campaign: 'x' });
  expect(await response.json()).toEqual({ ...RESPONSE, sandbox: true });
});

test('a page may mark its own request as a test', async () => {
  const { post } = setUp();
  const response = await post('/recommendations', { ...REQUEST, custom_metadata: { is_sandbox: true } });
  expect(await response.json()).toEqual({ ...RESPONSE, sandbox: true });
});

test.each([
  ['with a live key', { apiKey: 'adnet_rk_live_0123456789' }],
  [
    "with a key that does not say, and environment: 'production'",
    { apiKey: 'k-1', environment: 'production' as const },
  ],
])('a page cannot put a production relay %s into sandbox mode', async (_, options) => {
  const { network, post, relay } = setUp(options);
  for (const is_sandbox of [true, 'true', 1]) {
    const response = await post('/recommendations', { ...REQUEST, custom_metadata: { is_sandbox, campaign: 'x' } });
    expect(network.calls.at(-1)?.body['custom_metadata']).toEqual({ campaign: 'x' });
    expect(await response.json()).toEqual(RESPONSE);
  }
  network.respondWith(() => json(200, { ...RESPONSE, sandbox: true }));
  const echoed = await post('/recommendations', { ...REQUEST, custom_metadata: { is_sandbox: true } });
  expect(await echoed.json()).toMatchObject({ sandbox: false });
  expect(await (await relay(new Request('https://shop.example/health'))).json()).toMatchObject({ sandbox: false });
});

test('a production relay in sandbox mode marks every request', async () => {
  const { network, post } = setUp({ apiKey: 'adnet_rk_live_0123456789', sandbox: true });
  expect(await (await post('/recommendations', REQUEST)).json()).toMatchObject({ sandbox: true });
  expect(network.calls[0]?.body['custom_metadata']).toEqual({ is_sandbox: true });
});

test('the sandbox mark comes from the relay, not from the network', async () => {
  const { network, post } = setUp();
  network.respondWith(() => json(200, { ...RESPONSE, sandbox: true }));
  expect(await (await post('/recommendations', REQUEST)).json()).toMatchObject({ sandbox: false });
});
