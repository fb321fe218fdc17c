import { expect, test } from 'vitest';
import { createOperatorConsole, type ConsoleAuditOptions, type ConsoleOptions } from '../../../src/operator.ts';
import type { LedgerCounts } from '../../../src/relay.ts';
import type { ConsoleAudit, ConsoleContext } from '../../../src/operator/console/protocol.ts';

const KEY = 'adnet_sk_test_CANARYCANARYCANARYCANARY';
const REPORTING_KEY = 'adnet_sk_test_SPARROWSPARROWSPARROW';
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

/** A ledger that counted clicks, by the hour of yesterday. The relay was there from one of these hours on. */
function ledgerOf(clicks: Readonly<Record<string, number>>, begin = '00', day = DAY): ConsoleAuditOptions['ledger'] {
  const counts = Object.entries(clicks).map(([hour, count]) => ({ hour, count, name: 'BRAND_CLICK' }));
  if (counts.length > 0) counts.push({ hour: begin, count: 1, name: 'offers_requested' });
  return {
    read: async ({ from, to }) => ({
      rows: counts
        .map(({ hour, count, name }) => ({
          hour: `${day}T${hour}:00:00Z`,
          name,
          view: 'THANK_YOU',
          display_mode: 'INLINE',
          widget_id: null,
          count,
        }))
        .filter(({ hour }) => hour >= from && hour <= `${to}T24`),
      problems: [],
    }),
  };
}

/** A console on a network whose report has these clicks by hour. */
function open(clicks: () => Readonly<Record<string, number>>, options: Partial<ConsoleOptions> = {}) {
  const keys: string[] = [];
  const console = createOperatorConsole({
    network: 'https://channel.example',
    apiKey: KEY,
    fetch: async (url, init) => {
      if (url.includes('/adnet/')) return Response.json({ channel: { name: 'Demo' } });
      keys.push(new Headers(init.headers).get('x-api-key') ?? '');
      const { from = '', to = '' } = Object.fromEntries(new URL(url).searchParams);
      const data = Object.entries(clicks()).map(([hour, count]) => ({
        period_start: `${DAY}T${hour}:00:00Z`,
        period_end: `${DAY}T${hour}:59:59Z`,
        clicks: count,
      }));
      return Response.json({
        data: from <= DAY && DAY <= to ? data : [],
        summary: {},
        pagination: { offset: 0, limit: 10_000, total: data.length, has_more: false },
        meta: { timezone: 'UTC', data_through: `${DAY}T23:00:00Z`, request_id: 'r' },
      });
    },
    ...options,
  });
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    console(
      new Request(`http://127.0.0.1:4602/api/${path}`, {
        ...init,
        headers: { host: '127.0.0.1:4602', 'content-type': 'application/json' },
      }),
      { ip: '127.0.0.1' },
    );
  return { keys, call };
}

/** The same counts of a relay that requested offers on the day before these dates as well. */
function olderBy({ from }: { from: string }, { rows, problems }: LedgerCounts): LedgerCounts {
  const placement = { view: null, display_mode: null, widget_id: null };
  return { rows: [{ hour: `${from}T00:00:00Z`, name: 'offers_requested', ...placement, count: 1 }, ...rows], problems };
}

async function auditOf(response: Response): Promise<ConsoleAudit> {
  expect(response.status).toBe(200);
  return (await response.json()) as ConsoleAudit;
}

test('a console without a ledger offers no audit', async () => {
  const { call } = open(() => ({}));
  expect(((await (await call('session')).json()) as ConsoleContext).audit).toBeNull();
  expect((await call('audit?period=yesterday')).status).toBe(404);
  expect((await call('audit/miscount')).status).toBe(404);
  expect((await call('audit/shoppers', { method: 'POST', body: '{}' })).status).toBe(404);
});

test('compares hour by hour with the publisher’s key, from the first full hour of the ledger on', async () => {
  const { call, keys } = open(() => ({ '08': 40, '09': 3, '10': 5, '11': 9 }), {
    // An event of 08:00 arrived when the relay was there.
    audit: { ledger: ledgerOf({ '08': 1, '09': 1, '10': 5, '11': 7 }, '09'), reportingKey: REPORTING_KEY },
  });
  const { audit } = await auditOf(await call('audit?period=yesterday'));
  expect(audit?.begins).toBe(`${DAY}T10:00:00Z`);
  expect(audit?.within).toBe(false);
  expect(audit?.rows.map(({ period_start, ours, theirs, verdict }) => [period_start, ours, theirs, verdict])).toEqual([
    [`${DAY}T11:00:00Z`, 7, 9, 'extra'],
    [`${DAY}T10:00:00Z`, 5, 5, 'ok'],
  ]);
  expect(new Set(keys)).toEqual(new Set([REPORTING_KEY]));
});

test('a period before the ledger began has nothing to compare, and sends no request to the network', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const { call, keys } = open(() => ({ '08': 40 }), { audit: { ledger: ledgerOf({ '00': 5 }, '00', today) } });
  const { audit } = await auditOf(await call('audit?period=yesterday'));
  expect(audit).toMatchObject({ within: true, rows: [], begins: `${today}T01:00:00Z` });
  expect(keys).toEqual([]);
});

test('a report that cannot be compared is an error that names its row', async () => {
  const { call } = open(() => ({ '10': -5 }), { audit: { ledger: ledgerOf({ '10': 5 }) } });
  const failed = await call('audit?period=yesterday');
  expect(failed.status).toBe(502);
  expect(await failed.text()).toContain('Row 1 of the network');
});

test('a week is read in reports of three dates, with the console’s own key when it is a publisher’s', async () => {
  const { call, keys } = open(() => ({ '10': 5 }), {
    variant: 'publisher',
    audit: { ledger: { read: async (dates) => olderBy(dates, await ledgerOf({ '10': 5 }).read(dates)) } },
  });
  const { audit } = await auditOf(await call('audit?period=last_7_days'));
  expect(audit?.within).toBe(true);
  expect(audit?.rows).toHaveLength(1);
  expect(keys).toEqual([KEY, KEY, KEY]);
});

test('without a sandbox, nothing can be made to count wrongly', async () => {
  const { call } = open(() => ({}), { audit: { ledger: ledgerOf({}) } });
  expect((await call('audit/miscount')).status).toBe(404);
  expect((await call('audit/miscount', { method: 'PUT', body: '{"miscount":"drops_events"}' })).status).toBe(404);
  expect((await call('audit/shoppers', { method: 'POST', body: '{}' })).status).toBe(404);
});

test('an empty ledger and an unreadable ledger are reported differently', async () => {
  const empty = open(() => ({ '10': 5 }), { audit: { ledger: ledgerOf({}) } });
  expect(await auditOf(await empty.call('audit?period=yesterday'))).toMatchObject({ audit: null });
  const broken = open(() => ({}), {
    audit: { ledger: { read: () => Promise.reject(new Error('EACCES: /secret/place')) } },
  });
  const failed = await broken.call('audit?period=yesterday');
  expect(failed.status).toBe(502);
  expect(await failed.text()).not.toContain('secret');
});

test('refuses periods and changes that it does not know, and never returns a key', async () => {
  const sandbox: ConsoleAuditOptions['sandbox'] = {
    now: async () => new Date(),
    miscount: async () => ({ miscount: null, lost_hour: `key ${REPORTING_KEY}` }),
    shop: async () => undefined,
  };
  const audit = { ledger: ledgerOf({}), reportingKey: REPORTING_KEY, sandbox };
  const { call } = open(() => ({}), { audit });
  for (const period of ['', 'tomorrow', '__proto__', 'last_90_days'])
    expect((await call(`audit?period=${period}`)).status, period).toBe(400);
  for (const body of ['{"miscount":"everything"}', '{"miscount":1}', '{"lost_hour":7}', '[', 'null'])
    expect((await call('audit/miscount', { method: 'PUT', body })).status, body).not.toBe(404);
  expect((await call('audit/miscount', { method: 'PUT', body: '{"miscount":"everything"}' })).status).toBe(400);
  const leaking = await call('audit/miscount');
  expect(leaking.status).toBe(502);
  expect(await leaking.text()).not.toContain('SPARROW');
});

test('in a sandbox, a difference is shown once it stays the same', async () => {
  let reads = 0;
  const sandbox = {
    now: async () => new Date(),
    miscount: async () => ({ miscount: null, lost_hour: null }),
    shop: async () => undefined,
  };
  const passing = open(() => ({ '10': (reads += 1) === 1 ? 6 : 5 }), {
    audit: { ledger: ledgerOf({ '10': 5 }), sandbox },
  });
  expect((await auditOf(await passing.call('audit?period=yesterday'))).audit?.within).toBe(true);
  const lasting = open(() => ({ '10': 6 }), { audit: { ledger: ledgerOf({ '10': 5 }), sandbox } });
  expect((await auditOf(await lasting.call('audit?period=yesterday'))).audit?.within).toBe(false);
});
