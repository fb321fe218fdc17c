import { beforeAll, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { readClickReference } from '../../../src/network/recommendations/clickReference.ts';
import { ask, event, NOW, openTestNetwork, type Answered } from '../testNetwork.ts';

const world = ofSuite(() => openTestNetwork('pglite'));
beforeAll(async () => {
  await world.offer({ target_url: 'https://teapots.example/?utm=1' });
});

/** Opens a session, and returns where a click on its offer leads. */
async function openTarget(parts: Record<string, unknown> = {}): Promise<{ target: URL; session_id: string }> {
  const { body } = await world.post('/recommendations', ask(parts));
  const [{ offer }] = Object.values(body.recommendations as Record<string, { offer: { target_url: string } }>) as [
    { offer: { target_url: string } },
  ];
  return { target: new URL(offer.target_url), session_id: body.session_id as string };
}

const visit = (path: string, init?: RequestInit): Promise<Response> =>
  world.network.fetch(new Request(`http://127.0.0.1:4600${path}`, init));

/** Buys in the advertiser's shop of the sandbox. */
async function buy(reference: string, order_id = 'sale-1'): Promise<{ status: number; html: string }> {
  const offer = readClickReference(reference)?.offer_id ?? (await world.session()).items[0]?.offer_id ?? '';
  const response = await visit(`/visit/${offer}?click_ref=${reference}`, {
    method: 'POST',
    body: new URLSearchParams({ order_id }),
  });
  return { status: response.status, html: await response.text() };
}

function referenceOf(...ids: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(ids)).toString('base64url');
}

/** Clicks the offer of a session, as its page reports it. */
async function click(target: URL): Promise<Answered> {
  const { session_id, ...brand_properties } = readClickReference(target.searchParams.get('click_ref')) ?? {};
  const about = { session_id: session_id ?? '', items: [] };
  return world.batch([
    event('WIDGET_LOAD', about),
    event('BRAND_CLICK', about, { initiating_target: 'INLINE_ACTION_BUTTON', brand_properties }),
  ]);
}

test('each target_url names its click and keeps its own query', async () => {
  const { target, session_id } = await openTarget();
  expect(target.origin + target.pathname).toBe('https://teapots.example/');
  expect(target.searchParams.get('utm')).toBe('1');
  expect(readClickReference(target.searchParams.get('click_ref'))).toMatchObject({
    session_id,
    advertiser_id: 'advertiser-1',
  });
});

test('a sale is reported once with the reference of its click, and pays', async () => {
  const { target } = await openTarget();
  expect((await click(target)).status).toBe(202);
  const reference = target.searchParams.get('click_ref') ?? '';
  const page = await visit(`/visit/${readClickReference(reference)?.offer_id}?click_ref=${reference}`);
  expect(await page.text()).toContain('<button>Buy for 39.00 EUR</button>');
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
  for (let time = 0; time < 2; time++)
    expect(await buy(reference)).toMatchObject({ status: 200, html: expect.stringContaining('Thank you') as string });
  expect(await world.summary({ metrics: 'clicks,conversions,channel_payout' })).toEqual({
    clicks: 1,
    conversions: 1,
    channel_payout: 0.5,
  });
});

test('the sale of a test order earns nothing', async () => {
  const before = await world.summary({ metrics: 'conversions,channel_payout' });
  const { target } = await openTarget({ custom_metadata: { is_sandbox: true } });
  await click(target);
  expect((await buy(target.searchParams.get('click_ref') ?? '', 'sale-2')).status).toBe(200);
  expect(await world.summary({ metrics: 'conversions,channel_payout' })).toEqual(before);
});

test('a reference that is wrong, old or foreign is refused, and the page says why', async () => {
  const { items } = await world.session();
  const [{ offer_id, advertiser_id, insertion_id } = { offer_id: '', advertiser_id: '', insertion_id: '' }] = items;
  for (const wrong of ['', 'x', '%22', referenceOf(), referenceOf('a', 'b', 'c'), referenceOf({}, 1, null, [])])
    expect(await buy(wrong), wrong).toMatchObject({
      status: 400,
      html: expect.stringContaining('no valid reference of a click') as string,
    });
  const old = await world.earlierSession('2025-10-01T00:00:00Z');
  const other = await world.control('POST', '/sandbox/channels', { name: 'Another channel' });
  const foreign = await world.call('POST', '/recommendations', {
    key: other.keys.integration,
    headers: { version: '1.0.0', 'content-type': 'application/json' },
    body: ask(),
  });
  for (const [session_id, insertion, code] of [
    [crypto.randomUUID(), insertion_id, 'UNKNOWN_SESSION'],
    [foreign.body.session_id, insertion_id, 'UNKNOWN_SESSION'],
    [old.session_id, old.items[0]?.insertion_id, 'SESSION_TOO_OLD'],
    [(await world.session()).session_id, insertion_id, 'UNKNOWN_INSERTION'],
  ])
    expect(await buy(referenceOf(session_id, offer_id, advertiser_id, insertion)), code).toMatchObject({
      status: 422,
      html: expect.stringContaining(code) as string,
    });
});

test('/visit leads to where the last click landed, for callers on this machine', async () => {
  const { target } = await openTarget();
  await click(target);
  const { status, headers } = await visit('/visit');
  expect(status).toBe(303);
  const location = new URL(headers.get('location') ?? '');
  expect(location.searchParams.get('click_ref')).toBe(target.searchParams.get('click_ref'));
  expect((await visit('/visit', { headers: { host: 'evil.example' } })).status).toBe(403);
});

test('a request for another host sends the key nowhere', async () => {
  const { target } = await openTarget();
  const reference = target.searchParams.get('click_ref') ?? '';
  const url = `http://evil.example/visit/${readClickReference(reference)?.offer_id}?click_ref=${reference}`;
  const body = new URLSearchParams({ order_id: NOW });
  expect((await world.network.fetch(new Request(url, { method: 'POST', body }))).status).toBe(200);
});
