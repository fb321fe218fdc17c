import { expect, test, vi } from 'vitest';
import type { ConsolePublishers } from '../../../src/operator/console/protocol.ts';
import { createOperatorConsole, type ConsoleOptions } from '../../../src/operator.ts';

const KEY = 'adnet_sk_test_CANARYCANARYCANARYCANARY';
const HOST = { host: '127.0.0.1:4602' };
type Handle = (path: string, init: RequestInit) => Response | Promise<Response>;

/** A console on a network that is a function, and the requests to that network. */
function open(network: Handle, options: Partial<ConsoleOptions> = {}) {
  const calls: { path: string; init: RequestInit }[] = [];
  const console = createOperatorConsole({
    networkUrl: 'https://channel.example',
    apiKey: KEY,
    fetch: async (url, init) => {
      const path = url.slice('https://channel.example'.length);
      calls.push({ path, init });
      return network(path, init);
    },
    ...options,
  });
  const visit = (path: string, init: RequestInit = {}) =>
    console(
      new Request(`http://127.0.0.1:4602${path}`, { ...init, headers: { ...HOST, ...(init.headers as object) } }),
      { ip: '127.0.0.1' },
    );
  return { calls, console, visit };
}

const details = { channel: { name: 'Demo', exclusions: { subcategories: { channel: ['a', 'b'] } } } };
const json = (body: unknown, init?: ResponseInit): Response => Response.json(body, init);

test('the page has a policy that allows nothing but its own files, and requires Trusted Types', async () => {
  const response = await open(() => json(details)).visit('/');
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(response.status).toBe(200);
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "frame-ancestors 'none'",
  ])
    expect(policy).toContain(rule);
  expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
  expect(await response.text()).not.toMatch(/<script(?![^>]*src=)|<style|style="|\son\w+=/);
});

test('on request, only pages of the same origin may show it in a frame', async () => {
  const response = await open(() => json(details), { allowFrame: true }).visit('/');
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'self';");
});

test('every path below the console is the page, which reads its own URL', async () => {
  const { visit } = open(() => json(details), { basePath: '/console' });
  for (const path of ['/console', '/console/', '/console/publishers/x', '/console/?by=publisher'])
    expect(await (await visit(path)).text(), path).toContain('src="/console/console.js"');
  expect((await visit('/other')).status).toBe(404);
  expect((await visit('/consoles')).status).toBe(404);
});

test.each([
  ['a foreign host', { host: 'evil.example' }],
  ['a foreign origin', { origin: 'https://evil.example' }],
  ['another port of this machine', { origin: 'http://127.0.0.1:1' }],
  ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
  ['a proxy', { 'x-forwarded-for': '10.0.0.1' }],
])('%s is refused, before the network is called', async (_who, headers) => {
  const { visit, calls } = open(() => json(details));
  for (const path of ['/', '/api/session', '/api/report']) {
    const response = await visit(path, { headers });
    expect(response.status, path).toBe(403);
    expect(await response.text()).not.toContain('control-host');
  }
  expect(calls).toEqual([]);
});

test('another machine is refused', async () => {
  const { console } = open(() => json(details));
  const request = new Request('http://127.0.0.1:4602/', { headers: HOST });
  expect((await console(request, { ip: '192.168.0.7' })).status).toBe(403);
});

test('a link of another site opens the page, and nothing else', async () => {
  const { visit } = open(() => json(details));
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  expect((await visit('/?by=publisher', { headers })).status).toBe(200);
  expect((await visit('/api/session', { headers })).status).toBe(403);
  expect((await visit('/', { headers: { ...headers, origin: 'https://evil.example' }, method: 'POST' })).status).toBe(
    403,
  );
});

test('no response contains the key, whatever the network returns', async () => {
  const answers: Handle[] = [
    () => json({ channel: { name: KEY, exclusions: { subcategories: { channel: [] } } } }),
    () => json({ detail: `the key ${KEY} is wrong` }, { status: 401 }),
    () => new Response(`<p>${KEY}</p>`, { status: 500 }),
    () =>
      json({
        publisher: { brand_name: 'x', api_key: 'adnet_pk_test_publishable', exclusions: { subcategories: {} } },
        ...details,
      }),
    () => Promise.reject(new Error(KEY)),
  ];
  for (const [index, answer] of answers.entries()) {
    const { visit } = open(answer);
    for (const path of [
      '/api/session',
      '/api/publishers/x',
      '/api/report',
      '/api/publishers',
      '/api/categories',
      '/api/nothing',
    ]) {
      const response = await visit(path);
      const all = (await response.text()) + JSON.stringify([...response.headers]);
      expect(all, `${index} ${path}`).not.toContain(KEY);
      expect(all, `${index} ${path}`).not.toContain('adnet_pk_test_publishable');
    }
  }
});

test('a name that looks like a key is replaced, and hides nothing else', async () => {
  const name = 'A "adnet_sk_" adnet_rk_live_1\\ adnet_rp_test_2\n and adnet_pk_live_3';
  const { visit } = open(() => json({ channel: { name, exclusions: { subcategories: { channel: [] } } } }));
  const response = await visit('/api/session');
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({
    channel: 'A "[key]" [key]\\ [key]\n and adnet_pk_live_3',
    variant: 'channel',
  });
});

test.each([
  [401, { detail: 'unknown key' }, {}, 'key_refused'],
  [429, {}, { 'retry-after': '7' }, 'rate_limited'],
  [400, { code: 'REPORT_ROW_LIMIT_EXCEEDED', message: 'x' }, {}, 'too_large'],
  [
    400,
    { code: 'DATE_RANGE_OUTSIDE_AVAILABLE_WINDOW', available_window: { from: '2026-01-01', to: '2026-02-01' } },
    {},
    'outside_history',
  ],
  [
    400,
    { code: 'METRIC_NOT_AVAILABLE', unsupported_metrics: ['rpl'], allowed_metrics: [] },
    {},
    'metric_not_available',
  ],
  [503, {}, {}, 'unreachable'],
])('a failure says what the page can do: %s %o', async (status, body, headers, code) => {
  const { visit, calls } = open(() => json(body, { status, headers }));
  const response = await visit('/api/report?from=2026-11-01&to=2026-11-02&metrics=clicks');
  const failure = await response.json();
  expect({ status: response.status, code: failure.kind }).toEqual({ status, code });
  if (code === 'rate_limited') expect(failure.retry_after).toBe(7);
  if (code === 'outside_history') expect(failure.window).toEqual({ from: '2026-01-01', to: '2026-02-01' });
  expect(calls).toHaveLength(1); // the page repeats by itself, and says so
});

test('only known parameters of a report reach the network', async () => {
  const { visit, calls } = open(() =>
    json({ data: [], summary: {}, pagination: { offset: 0, limit: 250, total: 0, has_more: false }, meta: {} }),
  );
  await visit(
    '/api/report?from=2026-10-30&to=2026-10-31&compare=none&metrics=clicks,ctr&evil=1&x-api-key=2&page_type=A,B',
  );
  expect(calls[0]?.path).toBe(
    '/adnet/reporting/v2/report/?from=2026-10-30&to=2026-10-31&time_grain=day&metrics=clicks%2Cctr&page_types=A%2CB&limit=250&offset=0',
  );
});

test('an id never leaves its place in the path', async () => {
  const { visit, calls } = open(() => json(details));
  for (const id of ['..', '%2e%2e', '..%2f..', 'a%2fb', '%00'])
    await visit(`/api/publishers/${id}`).catch(() => undefined);
  const called = calls.map(({ path }) => path.replace('/adnet/publishers/details/', ''));
  expect(called.filter((path) => path !== '/adnet/channel/details/')).toEqual(['..%2F../', 'a%2Fb/', '%00/']);
});

const change = (body: object, path = '/api/exclusions') => ({
  path,
  init: { method: 'PUT', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
});

const approved = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    publisher_remote_id: `id-${from + index}`,
    brand_name: `Shop ${from + index}`,
    status: 'APPROVED',
  }));

test('publishers to choose from are those approved, and no more of the list is read than they need', async () => {
  const { visit, calls } = open((path) => {
    const isFirst = !path.includes('page=2');
    const publishers = isFirst
      ? [...approved(0, 60), { publisher_remote_id: null, brand_name: 'New', status: 'PENDING' }]
      : approved(60, 30);
    return json({ count: 91, next: isFirst ? 'https://channel.example/next' : null, previous: null, publishers });
  });
  const found = async (query: string) =>
    (await (await visit(`/api/find-publishers?${query}`)).json()) as { publishers: object[]; hasMore: boolean };
  const first = await found('q=shop&most=50');
  expect([first.publishers.length, first.publishers[0], first.hasMore]).toEqual([
    50,
    { id: 'id-0', name: 'Shop 0' },
    true,
  ]);
  expect(calls).toHaveLength(1);
  expect(calls[0]?.path).toContain('q=shop');
  const all = await found('q=shop&most=100');
  expect([all.publishers.length, all.hasMore]).toEqual([90, false]);
});

test('a search finds the names that contain every word', async () => {
  const names = ['Publisher 9', 'Publisher 111', 'Publisher 12', 'Corner 11', 'PUBLISHER 11'];
  const publishers = approved(0, 5).map((publisher, index) => ({ ...publisher, brand_name: names[index] }));
  const { visit } = open(() => json({ count: 5, next: null, previous: null, publishers }));
  for (const path of ['find-publishers?', 'publishers?', 'publishers?status=APPROVED&']) {
    const found = JSON.stringify(await (await visit(`/api/${path}q=publisher%2011`)).json());
    expect(names.filter((name) => found.includes(`"${name}"`))).toEqual(['Publisher 111', 'PUBLISHER 11']);
  }
});

/** A console on a network of these publishers, the first of which have these clicks; and how it lists them. */
function openList(publishers: readonly object[], clicks: readonly number[]) {
  const meta = { pagination: { offset: 0, limit: 250, total: 2, has_more: false }, meta: {} };
  const row = { period_start: '2026-11-01T00:00:00Z', period_end: '2026-11-29T00:00:00Z', publisher_name: 'Shop' };
  const data = clicks.map((count, index) => ({ ...row, publisher_id: `id-${index}`, clicks: count }));
  const list = { count: publishers.length, next: null, previous: null, publishers };
  const { visit, calls } = open((path) =>
    json(path.includes('report') ? { data, summary: { clicks: 2 }, ...meta } : list),
  );
  const read = async (query: string) => {
    const found = (await (await visit(`/api/publishers?${query}`)).json()) as ConsolePublishers;
    return found.publishers.map(({ brand_name, clicks: count }) => `${brand_name}: ${count}`);
  };
  return { read, calls };
}

test('publishers are sorted over all pages, and each has its clicks of the last 28 days', async () => {
  const { read, calls } = openList(approved(0, 60), [4, 11, 9]);
  expect((await read('')).slice(0, 4)).toEqual(['Shop 0: 4', 'Shop 1: 11', 'Shop 2: 9', 'Shop 3: 0']);
  expect(calls.map(({ path }) => path.includes('publisher_ids='))).toEqual([false, true]);
  expect((await read('sort=-clicks')).slice(0, 3)).toEqual(['Shop 1: 11', 'Shop 2: 9', 'Shop 0: 4']);
  expect((await read('sort=clicks&page=2')).at(-1)).toEqual('Shop 1: 11');
  expect((await read('sort=-name'))[0]).toBe('Shop 59: 0');
});

test('publishers without clicks are the approved ones that no row of the last 28 days gives a click', async () => {
  const pending = { publisher_remote_id: null, pending_publisher_id: 'new', brand_name: 'New', status: 'PENDING' };
  const { read } = openList([...approved(0, 3), pending], [2, 0]);
  expect(await read('status=NO_CLICKS')).toEqual(['Shop 1: 0', 'Shop 2: 0']);
});

test('exclusions are replaced when they are still what the page showed', async () => {
  const { visit, calls } = open((_path, { method }) => json(method === 'PUT' ? { ok: true } : details));
  const { path, init } = change({ subcategory_ids: ['a', 'c'], base: ['b', 'a'] });
  expect((await visit(path, init)).status).toBe(200);
  expect(calls.map(({ init: sent }) => sent.method)).toEqual(['GET', 'PUT']);
});

test('exclusions that somebody else has changed are not overwritten', async () => {
  const { visit, calls } = open(() => json(details));
  const { path, init } = change({ subcategory_ids: ['a'], base: ['a'] });
  const response = await visit(path, init);
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 409,
    body: { kind: 'conflict' },
  });
  expect(calls).toHaveLength(1);
});

test('a key that was rotated is used for the next call, without a restart', async () => {
  let apiKey = KEY;
  const { visit, calls } = open(() => json(details), { apiKey: () => apiKey });
  await visit('/api/exclusions');
  apiKey = 'adnet_sk_live_ROTATEDROTATEDROTATED';
  await visit('/api/exclusions');
  const keys = calls.map(({ init }) => new Headers(init.headers).get('x-api-key'));
  expect(keys).toEqual([KEY, apiKey]);
  const { environment } = (await (await visit('/api/session')).json()) as { environment: string };
  expect(environment).toBe('production');
});

test('exclusions of many publishers: each list is read, added to, and undone by exactly that', async () => {
  const lists = new Map([
    ['one', ['a']],
    ['two', ['b']],
  ]);
  const { visit } = open((path, { method, body }) => {
    const id = /publishers\/(?:details\/)?(\w+)/.exec(path)?.[1] ?? '';
    const list = lists.get(id);
    if (!list) return json({ detail: 'Not found.' }, { status: 404 });
    if (method === 'PUT') lists.set(id, (JSON.parse(body as string) as { subcategory_ids: string[] }).subcategory_ids);
    const exclusions = { subcategories: { external: [], publisher: lists.get(id) } };
    return json({ ok: true, publisher: { ...approved(1, 1)[0], publisher_remote_id: id, exclusions } });
  });
  const send = async (kind: string, changes: object[]) => {
    const { path, init } = change({ kind, changes }, '/api/exclusions-of-many');
    return (await (await visit(path, { ...init, method: 'POST' })).json()) as { outcomes: object[] };
  };
  const changes = ['one', 'two', 'gone'].map((publisher_id) => ({ publisher_id, subcategory_ids: ['b', 'c'] }));
  const { outcomes } = await send('add', changes);
  expect(outcomes).toEqual([
    { status: 'changed', subcategory_ids: ['b', 'c'] },
    { status: 'changed', subcategory_ids: ['c'] },
    { status: 'gone' },
  ]);
  await send('remove', [
    { publisher_id: 'one', subcategory_ids: ['b', 'c'] },
    { publisher_id: 'two', subcategory_ids: ['c'] },
  ]);
  expect([...lists.values()]).toEqual([['a'], ['b']]);
});

test.each([
  ['text', { body: 'x', headers: { 'content-type': 'text/plain' } }],
  ['no JSON', { body: '{', headers: { 'content-type': 'application/json' } }],
  ['another shape', { body: '{"items":[{"brand_name":1}]}', headers: { 'content-type': 'application/json' } }],
  ['too much', { body: JSON.stringify('x'.repeat(1_100_000)), headers: { 'content-type': 'application/json' } }],
])('a body with %s is a 400 and changes nothing', async (_what, init) => {
  const { visit, calls } = open(() => json(details));
  expect((await visit('/api/publishers', { method: 'POST', ...init })).status).toBe(400);
  expect(calls).toEqual([]);
});

test('Watch says how far it is, and its reading goes on when the page is left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let release = (): void => undefined;
  const rest = new Promise<void>((resolve) => (release = resolve));
  const waiting = { publisher_remote_id: null, brand_name: 'Wren', status: 'PENDING', created_at: '2026-01-02' };
  const { visit, calls } = open(async (path) => {
    if (path.includes('page=2')) await rest;
    if (path.includes('/publishers/list/'))
      return json({
        count: 2,
        next: path.includes('page=2') ? null : 'https://channel.example/?page=2',
        publishers: [{ ...waiting, pending_publisher_id: path }],
      });
    const meta = { timezone: 'UTC', data_through: null, request_id: 'r' };
    return json({ data: [], summary: {}, pagination: { offset: 0, limit: 1, total: 0, has_more: false }, meta });
  });
  const left = new AbortController();
  const first = visit('/api/watch', { signal: left.signal });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await (await first).json()).toEqual({ progress: 'Read 1 publishers …' });
  left.abort();
  const second = visit('/api/watch');
  release();
  const { open: causes } = (await (await second).json()) as { open: { name: string }[] };
  expect(causes.map(({ name }) => name)).toEqual(['Data', 'Wren', 'Wren']);
  expect(calls.filter(({ path }) => path.includes('/publishers/list/'))).toHaveLength(2);
  vi.useRealTimers();
});
