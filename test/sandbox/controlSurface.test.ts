import { expect, test } from 'vitest';
import { controlSurface } from '../../src/sandbox/controlSurface.ts';
import { createNetwork } from '../../src/network.ts';
import { ofSuite } from '../fixtures/opened.ts';

const SHOP = 'http://127.0.0.1:4173';
const ME = { ip: '127.0.0.1' };

const network = ofSuite(() => createNetwork({ memory: true, seed: 'empty', log: () => undefined }));

function ask(path: string, init: RequestInit & { at?: string; ip?: string } = {}): Promise<Response> {
  const answer = controlSurface({ network, url: 'http://127.0.0.1:4600' });
  return Promise.resolve(answer(new Request((init.at ?? SHOP) + path, init), init.ip ? { ip: init.ip } : ME));
}

test('a page of the shop can use the controls', async () => {
  const own = { origin: SHOP, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const set = await ask('/sandbox/clock', { method: 'POST', headers: own, body: '{"now":"2025-11-20T10:30:00Z"}' });
  expect(await set.json()).toEqual({ now: '2025-11-20T10:30:00.000Z', stands_still: true });
  const freed = await ask('/sandbox/clock', { method: 'POST', headers: own, body: '{"now":null}' });
  expect(freed.status).toBe(200);
  const fault = await ask('/sandbox/faults', {
    method: 'POST',
    headers: own,
    body: '{"route":"/events","status":502}',
  });
  expect(fault.status).toBe(200);
  const gone = await ask('/sandbox/faults', { method: 'DELETE', headers: own });
  expect([gone.status, await gone.text()]).toEqual([204, '']);
  const events = await ask('/sandbox/events?event_name=BRAND_CLICK', { headers: own });
  expect(await events.json()).toEqual({ events: [] });
});

test("the network's message about an invalid body is passed on", async () => {
  const refused = await ask('/sandbox/faults', { method: 'POST', body: '{"status":502}' });
  expect(refused.status).toBe(400);
  expect(JSON.stringify(await refused.json())).toContain('route');
});

test('another website in the same browser can neither use nor read the controls', async () => {
  const strangers: (RequestInit & { at?: string; ip?: string })[] = [
    { headers: { origin: 'https://elsewhere.example' } },
    { at: 'http://rebound.example:4173', headers: { origin: 'http://rebound.example:4173' } },
    { ip: '192.168.1.20' },
  ];
  for (const stranger of strangers)
    expect((await ask('/sandbox/faults', { method: 'DELETE', ...stranger })).status, JSON.stringify(stranger)).toBe(
      403,
    );
  expect((await ask('/sandbox/health', { headers: { 'sec-fetch-site': 'none' } })).status).toBe(200);
});

test('no key reaches a browser', async () => {
  const reset = await ask('/sandbox/reset', { method: 'POST', body: '{"seed":"empty"}' });
  const text = await reset.text();
  expect(reset.status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ environment: 'staging', channel: { name: expect.any(String) } });
  expect(text).not.toMatch(/adnet_|"keys"/);
  for (const path of [
    '/sandbox/keys',
    '/sandbox/channels',
    '/sandbox/%6beys',
    '/sandbox/keys/x/rotate',
    '/sandbox/%',
  ]) {
    const refused = await ask(path, { method: 'POST', body: '{"kind":"management","name":"Mine"}' });
    expect(refused.status, path).toBe(403);
    expect(await refused.text()).not.toContain('adnet_');
  }
});

async function passOn(response: Response): Promise<Response> {
  const network = { fetch: () => Promise.resolve(response) };
  return controlSurface({ network, url: 'http://127.0.0.1:4600' })(new Request(`${SHOP}/sandbox/health`), ME);
}

test('a key in a field is hidden, and the other fields are passed on', async () => {
  const event = { event_name: 'BRAND_VIEW', asset_id: 'mine: adnet_sk_test_abc', keys: ['adnet_pk_test_abc'] };
  const answer = await passOn(Response.json({ events: [event, { event_name: 'BRAND_CLICK' }] }));
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({
    events: [{ event_name: 'BRAND_VIEW', asset_id: '[hidden: contains a key]' }, { event_name: 'BRAND_CLICK' }],
  });
});

test('a response with a key outside of the values of its fields is not passed on', async () => {
  for (const leaking of [Response.json({ adnet_sk_test_abc: 1 }), new Response('It is adnet_sk_test_abc.')]) {
    const answer = await passOn(leaking);
    expect(answer.status).toBe(502);
    const text = await answer.text();
    expect(text).toContain('outside of the values of its fields');
    expect(text).not.toContain('adnet_');
  }
});
