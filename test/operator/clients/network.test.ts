import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNetwork, type Network } from '../../../src/network.ts';
import {
  AuthError,
  ChannelClient,
  DateRangeError,
  MetricNotAvailableError,
  NotFoundError,
  ReportingClient,
  RowLimitError,
  ValidationError,
} from '../../../src/operator.ts';

// The clients against the whole sandbox network: what they send is understood, what it responses is read.

const BASE = 'http://127.0.0.1:4600';
let network: Network;
let keys: Record<string, string>;
let channel: ChannelClient;
let report: ReportingClient<'channel'>;

const reach = async (url: string, init: RequestInit): Promise<Response> => network.fetch(new Request(url, init));

beforeAll(async () => {
  network = await createNetwork({
    memory: true,
    seed: 'demo',
    now: '2025-11-20T10:30:00Z',
    networkUrl: BASE,
    log: () => undefined,
  });
  keys = { ...network.describe().keys };
  channel = new ChannelClient({ networkUrl: BASE, apiKey: keys['management'] ?? '', fetch: reach });
  report = new ReportingClient({
    networkUrl: BASE,
    apiKey: keys['management'] ?? '',
    variant: 'channel',
    fetch: reach,
  });
}, 180_000);
afterAll(() => network.close());

async function control(method: string, path: string, body?: unknown): Promise<void> {
  const response = await reach(BASE + path, { method, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
}

test('categories and the channel are read', async () => {
  const categories = await channel.categories();
  expect(categories.length).toBeGreaterThan(0);
  expect(categories[0]?.subcategories[0]?.remote_id).toMatch(/^[0-9a-f-]{36}$/);
  expect((await channel.details()).exclusions.subcategories.channel).toEqual(expect.any(Array));
});

test('allPublishers() yields as many publishers as the list counts, each once', async () => {
  const { count } = await channel.publishers({ pageSize: 1 });
  const names = [];
  for await (const publisher of channel.allPublishers({ pageSize: 3 })) names.push(publisher.brand_name);
  expect(names).toHaveLength(count);
  expect(count).toBeGreaterThan(10);
});

test('a requested publisher is found by its pending id, and a second request is a duplicate', async () => {
  const [category] = await channel.categories();
  const item = {
    brand_name: 'Quokka Lamps',
    domain: 'quokka.example',
    primary_category_id: category?.remote_id ?? '',
    subcategory_ids: [category?.subcategories[0]?.remote_id ?? ''],
  };
  const [created, repeated] = await channel.add([item, item]);
  expect([created?.status, repeated?.status]).toEqual(['created', 'duplicate']);
  if (created?.status !== 'created') throw new Error('not created');
  const found = await channel.publisher(created.create_request.pending_publisher_id);
  expect(found).toMatchObject({ brand_name: 'Quokka Lamps', status: 'PENDING', api_key: null });
  const { publishers } = await channel.publishers({ q: 'quokka' });
  expect(publishers.map((publisher) => publisher.brand_name)).toEqual(['Quokka Lamps']);
  await expect(channel.remove(created.create_request.pending_publisher_id)).rejects.toBeInstanceOf(NotFoundError);
});

test('exclusions are replaced, read back and cleared; an error for a wrong id names its field', async () => {
  const [category] = await channel.categories();
  const id = category?.subcategories[0]?.remote_id ?? '';
  await channel.setChannelExclusions([id]);
  expect((await channel.details()).exclusions.subcategories.channel).toEqual([id]);
  await channel.setChannelExclusions([]);
  expect((await channel.details()).exclusions.subcategories.channel).toEqual([]);
  const error: unknown = await channel.setChannelExclusions(['nonsense']).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ValidationError);
  expect(error).toMatchObject({ fields: [{ path: 'subcategory_ids' }] });
});

test('an approved publisher gets its own exclusions and can be removed once', async () => {
  const { publishers } = await channel.publishers({ pageSize: 200 });
  // Not the first publisher: removing it would end its reporting key as well.
  const first = network.describe().publisher.publisher_remote_id;
  const isOther = (id: string | null): boolean => id !== null && id !== first;
  const approved = publishers.find((publisher) => isOther(publisher.publisher_remote_id))?.publisher_remote_id ?? '';
  const [category] = await channel.categories();
  const id = category?.subcategories[0]?.remote_id ?? '';
  await channel.setPublisherExclusions(approved, [id]);
  expect((await channel.publisher(approved)).exclusions.subcategories.publisher).toEqual([id]);
  await channel.remove(approved);
  await expect(channel.remove(approved)).rejects.toBeInstanceOf(NotFoundError);
  await expect(channel.publisher(approved)).rejects.toBeInstanceOf(NotFoundError);
});

test('a publishable key can read but not write; an unknown key can do neither', async () => {
  const reader = new ChannelClient({ networkUrl: BASE, apiKey: keys['publishable'] ?? '', fetch: reach });
  expect((await reader.details()).name).not.toBe('');
  await expect(reader.setChannelExclusions([])).rejects.toBeInstanceOf(AuthError);
  const stranger = new ChannelClient({ networkUrl: BASE, apiKey: 'adnet_sk_test_unknown', fetch: reach });
  await expect(stranger.details()).rejects.toMatchObject({
    name: 'AuthError',
    status: 401,
    requestId: expect.any(String) as unknown,
  });
});

test('the error for a key of the other environment says so', async () => {
  const live = new ChannelClient({ networkUrl: BASE, apiKey: 'adnet_sk_live_unknown', fetch: reach });
  await expect(live.details()).rejects.toThrow(/environment/);
});

test('the rows of many pages are the rows of one large page, and add up to the summary', async () => {
  const query = {
    from: '2025-11-14',
    to: '2025-11-20',
    time_grain: 'day',
    group_by: ['publisher'],
    metrics: ['clicks', 'ctr'],
  } as const;
  const whole = await report.report({ ...query, limit: 250 });
  expect(whole.pagination.has_more).toBe(false);
  expect(whole.pagination.total).toBeGreaterThan(20);
  const rows = [];
  for await (const row of report.rows({ ...query, limit: 7 })) rows.push(row);
  expect(rows).toEqual(whole.data);
  expect(rows.reduce((sum, row) => sum + row.clicks, 0)).toBe(whole.summary.clicks);
});

test('a publisher reads its own report, with and without /api in the base', async () => {
  for (const networkUrl of [BASE, `${BASE}/api`, `${BASE}/api/`]) {
    const own = new ReportingClient({
      networkUrl,
      apiKey: keys['publisher_reporting'] ?? '',
      variant: 'publisher',
      fetch: reach,
    });
    const { data, meta } = await own.report({ metrics: ['widget_loads', 'cvr'] });
    expect(data).toHaveLength(1);
    expect(meta).toMatchObject({ timezone: 'UTC', request_id: expect.stringMatching(/.+/) as unknown });
  }
});

test('a key of one variant is refused by the other', async () => {
  const wrong = new ReportingClient({
    networkUrl: BASE,
    apiKey: keys['management'] ?? '',
    variant: 'publisher',
    fetch: reach,
  });
  await expect(wrong.report()).rejects.toBeInstanceOf(AuthError);
});

test('every coded error has its class', async () => {
  await expect(report.report({ from: '2020-01-01', to: '2020-01-02' })).rejects.toBeInstanceOf(DateRangeError);
  await control('PUT', '/sandbox/settings', { enabled_metrics: ['clicks'], report_row_limit: 3 });
  try {
    const error: unknown = await report.report({ metrics: ['clicks', 'rpl'] }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MetricNotAvailableError);
    expect(error).toMatchObject({ unsupported_metrics: ['rpl'], allowed_metrics: ['clicks'] });
    await expect(report.report({ time_grain: 'day', metrics: ['clicks'] })).rejects.toBeInstanceOf(RowLimitError);
  } finally {
    await control('PUT', '/sandbox/settings', { enabled_metrics: null, report_row_limit: null });
  }
});

test('the error for a refused parameter names its field', async () => {
  const error: unknown = await report.report({ from: '2025-11-14', to: 'never' }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ValidationError);
  expect((error as ValidationError).fields.length).toBeGreaterThan(0);
});
