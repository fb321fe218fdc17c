import { expect, test } from 'vitest';
import { ofSuite } from '../fixtures/opened.ts';
import { verify, type Verification } from '../../src/verify/verify.ts';
import { openUnderTest } from './networkUnderTest.ts';

const under = ofSuite(openUnderTest);

const keys = { integration: 'adnet_rk_test_i', management: 'adnet_sk_test_m', reporting: 'adnet_rp_test_r' };
const BASE = { url: 'https://network.example', version: '1.0.0', keys, paceMs: 0, lookMs: 1 };
const because = ({ verdicts }: Verification): string => verdicts.map((verdict) => verdict.because).join('\n');

test.each([[null], [5], ['x'], [[]], [{}], [[null]]])(
  'values that are %j are named, and end nothing',
  async (swapped) => {
    let at = 0;
    /** Swaps every eighth value, and no more of what is in it. */
    const swap = (value: unknown): unknown => {
      if ((at += 1) % 8 === 0) return swapped;
      if (Array.isArray(value)) return value.map(swap);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, swap(each)]));
    };
    const found = await under.run({}, async (call, send) => {
      const response = await send(call);
      const { status } = response;
      return call.method !== 'HEAD' && /json/.test(response.headers.get('content-type') ?? '')
        ? Response.json(swap(await response.json()), { status })
        : response;
    });
    expect(found.calls).toBeLessThanOrEqual(600);
    expect(because(found)).not.toMatch(/there was none|does not respond/);
    expect(found.verdicts.filter(({ state, exchange }) => state === 'fails' && !exchange)).toEqual([]);
  },
);

test('a network that delays every call for ever is left alone in time', async () => {
  const headers = { 'retry-after': '1' };
  const found = await verify({ ...BASE, maxMs: 500, fetch: async () => new Response('', { status: 429, headers }) });
  expect(because(found)).toContain('The run takes no longer than 0.5 seconds.');
  expect(found.calls).toBe(1);
});

test('pages that never end are left after as many as there may be', async () => {
  const found = await under.run({ only: ['C12.walk'] }, async (call, send) => {
    const response = await send(call);
    if (call.path !== '/adnet/publishers/list/') return response;
    const next = `https://network.example${call.path}?page_size=3&page=2`;
    return Response.json({ ...(await response.json()), publishers: [], next });
  });
  expect(found.verdicts).toMatchObject([
    { state: 'fails', because: expect.stringMatching(/^an end after \d+ pages$/) },
  ]);
  expect(found.calls).toBeLessThan(15);
});

test('what cannot be undone in time is named, and waited for no longer', async () => {
  let puts = 0;
  const found = await under.run({ only: ['C8'], maxMs: 4_000 }, async (call, send) => {
    if (call.method !== 'PUT') return send(call);
    if ((puts += 1) === 1) return send(call);
    return new Response('', { status: 429, headers: { 'retry-after': '30' } });
  });
  expect(found.left).toContain('the exclusions of the channel');
  // At the end of the rule, and of the run.
  expect(puts).toBe(3);
  await under.run({ only: ['C5.replace'] });
});

test('texts of megabytes are cut before they are shown', async () => {
  const brand_name = 'x'.repeat(5_000_000);
  const publishers = [{ status: 'APPROVED', brand_name, publisher_remote_id: 'p' }];
  const list = { count: 1, next: null, previous: null, publishers };
  const found = await verify({ ...BASE, only: ['C13.words', 'C15.status'], fetch: async () => Response.json(list) });
  for (const { because = '', exchange } of found.verdicts)
    for (const text of [because, exchange?.text ?? '']) expect(text.length).toBeLessThanOrEqual(2_000);
  expect(found.verdicts.some(({ exchange }) => exchange?.text.length === 2_000)).toBe(true);
});

test('a body without end, and one of ten megabytes, are no response', async () => {
  const chunk = new Uint8Array(1024 * 1024);
  const endless = () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(chunk) }));
  const found = await verify({ ...BASE, only: ['A1'], fetch: async () => endless() });
  expect(found.calls).toBe(3);
  expect(because(found)).toMatch(/there was none[^]*The network does not respond\./);
});

test('a key that comes back is hidden, in headers as well', async () => {
  const found = await verify({
    ...BASE,
    fetch: async (_, init) => {
      const key = new Headers(init?.headers).get('x-api-key') ?? '';
      const made = { status: 'created', brand_name: key, create_request: { pending_publisher_id: key } };
      const categories = [{ remote_id: key, name: key, subcategories: [{ remote_id: key, name: key }] }];
      const body = { message: key, categories, results: [made], filler: 'x'.repeat(1_990) };
      const status = typeof init?.body === 'string' && init.body.includes('"items"') ? 201 : 200;
      return Response.json(body, { status, headers: { 'x-request-id': key, 'set-cookie': key } });
    },
  });
  const shown = JSON.stringify(
    found.verdicts.map(({ exchange, ...rest }) => [rest, exchange?.text, ...(exchange?.headers ?? [])]),
  );
  for (const key of Object.values(keys)) expect(shown + String(found.left)).not.toContain(key);
  expect(found.left.length).toBeGreaterThan(0);
});
