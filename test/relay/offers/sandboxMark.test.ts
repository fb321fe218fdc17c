import { expect, test } from 'vitest';
import { ANSWER, json, QUESTION, setUp } from '../fakeNetwork.ts';

test('a relay in sandbox mode marks the question and the answer, whatever the page says', async () => {
  const { network, post } = setUp({ sandbox: true });
  const response = await post('/recommendations', {
    ...QUESTION,
    custom_metadata: { is_sandbox: false, campaign: 'x' },
  });
  expect(network.calls[0]?.body['custom_metadata']).toEqual({ is_sandbox: true, campaign: 'x' });
  expect(await response.json()).toEqual({ ...ANSWER, sandbox: true });
});

test('a page may ask for the sandbox by itself', async () => {
  const { post } = setUp();
  const response = await post('/recommendations', { ...QUESTION, custom_metadata: { is_sandbox: true } });
  expect(await response.json()).toEqual({ ...ANSWER, sandbox: true });
});

test.each([
  ['with a live key', { apiKey: 'adnet_rk_live_0123456789' }],
  [
    "with a key that does not say, and environment: 'production'",
    { apiKey: 'k-1', environment: 'production' as const },
  ],
])('a production relay %s cannot be talked into the sandbox by a page', async (_, options) => {
  const { network, post, relay } = setUp(options);
  for (const is_sandbox of [true, 'true', 1]) {
    const response = await post('/recommendations', { ...QUESTION, custom_metadata: { is_sandbox, campaign: 'x' } });
    expect(network.calls.at(-1)?.body['custom_metadata']).toEqual({ campaign: 'x' });
    expect(await response.json()).toEqual(ANSWER);
  }
  network.answerWith(() => json(200, { ...ANSWER, sandbox: true }));
  const echoed = await post('/recommendations', { ...QUESTION, custom_metadata: { is_sandbox: true } });
  expect(await echoed.json()).toMatchObject({ sandbox: false });
  expect(await (await relay(new Request('https://shop.example/health'))).json()).toMatchObject({ sandbox: false });
});

test('a production relay that its merchant put in sandbox mode marks every question', async () => {
  const { network, post } = setUp({ apiKey: 'adnet_rk_live_0123456789', sandbox: true });
  expect(await (await post('/recommendations', QUESTION)).json()).toMatchObject({ sandbox: true });
  expect(network.calls[0]?.body['custom_metadata']).toEqual({ is_sandbox: true });
});

test("the sandbox mark is the relay's word, not the network's", async () => {
  const { network, post } = setUp();
  network.answerWith(() => json(200, { ...ANSWER, sandbox: true }));
  expect(await (await post('/recommendations', QUESTION)).json()).toMatchObject({ sandbox: false });
});
