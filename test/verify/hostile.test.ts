import { afterAll, beforeAll, expect, test } from 'vitest';
import { verify, type Verification } from '../../src/verify/verify.ts';
import { openUnderTest, type UnderTest } from './networkUnderTest.ts';

let under: UnderTest;
beforeAll(async () => {
  under = await openUnderTest();
});
afterAll(() => under.close());

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
      return /json/.test(response.headers.get('content-type') ?? '')
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
  expect(because(found)).toContain('The run has taken 0.5 seconds.');
  expect(found.calls).toBe(1);
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
      return Response.json({ message: key, categories: key }, { headers: { 'x-request-id': key, 'set-cookie': key } });
    },
  });
  const shown = JSON.stringify(
    found.verdicts.map(({ exchange, ...rest }) => [rest, exchange?.text, ...(exchange?.headers ?? [])]),
  );
  for (const key of Object.values(keys)) expect(shown).not.toContain(key);
});
