import { expect, test } from 'vitest';
import { openDedupeFile } from '../../src/relay.ts';
import { describeAudit, makeAudit, type Audit, type AuditRequest } from '../../src/cli/audit/makeAudit.ts';
import { addDays } from '../../src/wire/utcDates.ts';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { event, REQUEST, setUp } from '../relay/scriptedNetwork.ts';

const DAY = '2026-11-20';
const NOON = Date.parse(`${DAY}T12:20:00Z`);
const NONE = { view: null, display_mode: null, widget_id: null };

/** Counts by hour: `20T10` is 10:00 on 2026-11-20. */
type ByHour = Readonly<Record<string, number>>;

const timeOf = (hour: string): string => `2026-11-${hour}:00:00Z`;
const isIn = (time: string, { from, to }: { from: string; to: string }) => time >= from && time <= `${to}T24`;

type Counted = { ours: ByHour; asked?: readonly string[]; theirs: ByHour; through?: string };
/** Compares clicks by hour of a ledger whose relay requested offers in some hours with those of a network. */
async function auditOf(
  { ours, asked = ['19T09'], theirs, through = '20T12' }: Counted,
  request: Partial<AuditRequest> = {},
): Promise<{ audit: Audit | undefined; reports: string[] }> {
  const rows = [
    ...Object.entries(ours).map(([hour, count]) => ({ hour: timeOf(hour), name: 'BRAND_CLICK', ...NONE, count })),
    ...asked.map((hour) => ({ hour: timeOf(hour), name: 'offers_requested', ...NONE, count: 1 })),
  ];
  const reports: string[] = [];
  const audit = await makeAudit({
    ledger: { read: async (dates) => ({ rows: rows.filter(({ hour }) => isIn(hour, dates)), problems: [] }) },
    async readPage({ dates, grain }) {
      reports.push(`${grain} ${dates.from} ${dates.to}`);
      const counts = new Map<string, number>();
      for (const [hour, clicks] of Object.entries(theirs)) {
        const start = grain === 'hour' ? timeOf(hour) : `${timeOf(hour).slice(0, 10)}T00:00:00Z`;
        if (isIn(start, dates)) counts.set(start, (counts.get(start) ?? 0) + clicks);
      }
      const data = [...counts].map(([start, clicks]) => ({ period_start: start, period_end: start, clicks }));
      return {
        data,
        summary: {},
        pagination: { offset: 0, limit: 10_000, total: data.length, has_more: false },
        meta: { timezone: 'UTC', data_through: timeOf(through), request_id: '' },
      };
    },
    dates: { from: DAY, to: DAY },
    grain: 'hour',
    by: [],
    tolerance: 0.005,
    now: NOON,
    ...request,
  });
  return { audit, reports };
}

function clicksOf(audit: Audit | undefined): (string | number | null)[] {
  const { ours, theirs, verdict } = audit?.totals.find(({ metric }) => metric === 'clicks') ?? {};
  return [ours ?? null, theirs ?? null, verdict ?? null];
}

function titleOf(audit: Audit | undefined): string | undefined {
  return audit && describeAudit(audit, (hour) => hour.slice(0, 16)).title;
}

test('the current hour is in no total, whether it agrees or differs', async () => {
  for (const now of [5, 3]) {
    const counts = { ours: { '20T10': 7, '20T12': 5 }, theirs: { '20T10': 7, '20T12': now } };
    const { audit } = await auditOf(counts);
    expect(clicksOf(audit)).toEqual([7, 7, 'ok']);
    expect(audit?.rows.map(({ verdict }) => verdict)).toEqual(['open', 'ok']);
    expect([audit?.within, titleOf(audit)]).toEqual([true, 'Both counts agree']);
    const all = await auditOf(counts, { partial: true });
    expect(clicksOf(all.audit)).toEqual([12, 7 + now, now === 5 ? 'ok' : 'missing']);
  }
  const alone = await auditOf({ ours: { '20T10': 7 }, theirs: { '20T10': 1 } }, { grain: 'day' });
  expect([alone.audit?.within, titleOf(alone.audit)]).toEqual([true, 'There is nothing to compare yet']);
});

test('what is later than the data of the network is late, and not missing', async () => {
  const counts = { ours: { '20T08': 5, '20T10': 7 }, theirs: { '20T08': 5 } };
  const verdicts = ['20T09', '20T10'].map(async (through) => clicksOf((await auditOf({ ...counts, through })).audit));
  expect((await Promise.all(verdicts)).map(([, , verdict]) => verdict)).toEqual(['late', 'missing']);
});

test.each([
  ['drops what it accepted', { '20T10': 4 }, '20T23', ['network missing']],
  ['counts twice', { '20T10': 14 }, '20T23', ['network extra', 'other_relay extra', 'other_senders extra']],
  ['is late', {}, '20T09', ['data_through missing']],
])('a network that %s is named as the likeliest cause, and its hour even where days are compared', async (...row) => {
  const [, theirs, through, causes] = row;
  const counts = { ours: { '20T08': 5, '20T10': 7 }, theirs: { '20T08': 5, ...theirs }, through };
  const { audit } = await auditOf(counts, { grain: 'day', now: NOON + 86_400_000 });
  expect(audit?.explanations.map(({ cause, direction }) => `${cause} ${direction}`)).toEqual(causes);
  expect([audit?.within, audit?.hours.map(({ period_start }) => period_start)]).toEqual([false, [timeOf('20T10')]]);
});

test('a difference of exactly the tolerance is within it', async () => {
  for (const [tolerance, ours, theirs, within] of [
    [0.007, 1_000, 993, true],
    [0.007, 1_000, 992, false],
    [0.0029, 10_000, 9_971, true],
    [0.58, 100, 42, true],
    [0.000_001, 1_000_000, 999_999, true],
    [0.000_001, 1_000_000, 999_998, false],
    [0, 1_000, 1_000, true],
  ] as const) {
    const { audit } = await auditOf({ ours: { '20T10': ours }, theirs: { '20T10': theirs } }, { tolerance });
    expect([tolerance, theirs, audit?.within]).toEqual([tolerance, theirs, within]);
  }
});

test('what the network counted before the ledger was complete is not compared, by the hour and by the day', async () => {
  // Events of earlier hours arrived late, and the relay came at some minute of 08:00.
  const counts = {
    ours: { '19T22': 1, '20T03': 1, '20T08': 2, '20T09': 6, '20T10': 5 },
    asked: ['20T08', '20T10'],
    theirs: { '19T22': 90, '20T03': 80, '20T08': 70, '20T09': 6, '20T10': 5 },
  };
  for (const grain of ['hour', 'day'] as const) {
    const request = { grain, now: NOON + 86_400_000, dates: { from: '2026-11-18', to: DAY } };
    const { audit, reports } = await auditOf(counts, request);
    expect(clicksOf(audit)).toEqual([11, 11, 'ok']);
    expect([audit?.begins, audit?.within, audit?.explanations]).toEqual([timeOf('20T09'), true, []]);
    expect(reports.every((report) => !report.includes('2026-11-1'))).toBe(true);
    const wrong = await auditOf({ ...counts, theirs: { ...counts.theirs, '20T10': 9 } }, request);
    expect([wrong.audit?.within, clicksOf(wrong.audit)]).toEqual([false, [11, 15, 'extra']]);
    const hours = grain === 'hour' ? wrong.audit?.rows.filter(({ verdict }) => verdict !== 'ok') : wrong.audit?.hours;
    expect(hours?.map(({ period_start, difference }) => [period_start, difference])).toEqual([[timeOf('20T10'), 4]]);
  }
  const { audit } = await auditOf(counts, { partial: true });
  expect([audit?.begins, clicksOf(audit)]).toEqual([timeOf('20T08'), [13, 81, 'extra']]);
});

test('the first night after the ledger began is quiet, and sends no request to the network', async () => {
  const yesterday = { dates: { from: '2026-11-19', to: '2026-11-19' }, grain: 'day' } as const;
  const { audit, reports } = await auditOf(
    { ours: { '19T22': 1, '20T10': 5 }, asked: ['20T10'], theirs: { '19T10': 50 } },
    yesterday,
  );
  expect([audit?.within, audit?.rows, reports]).toEqual([true, [], []]);
  expect(titleOf(audit)).toBe('The ledger began later, and is complete from 2026-11-20T11:00 on');
  const late = await auditOf({ ours: {}, asked: ['19T23'], theirs: { '19T10': 50 } }, yesterday);
  expect([late.audit?.within, late.audit?.begins]).toEqual([true, timeOf('20T00')]);
});

test('a quiet day of an older ledger is compared, and a ledger without any counts has no audit', async () => {
  const quiet = await auditOf({ ours: {}, asked: ['02T10'], theirs: {} });
  expect([quiet.audit?.within, titleOf(quiet.audit)]).toEqual([true, 'Nothing was counted']);
  const missed = await auditOf({ ours: {}, asked: ['02T10'], theirs: { '20T10': 4 } });
  expect([missed.audit?.within, clicksOf(missed.audit)]).toEqual([false, [0, 4, 'extra']]);
  expect((await auditOf({ ours: {}, asked: [], theirs: { '20T10': 4 } })).audit).toBeUndefined();
});

test('a relay that never requested offers has a ledger from its first event on', async () => {
  const { audit } = await auditOf({
    ours: { '20T09': 1, '20T10': 5 },
    asked: [],
    theirs: { '20T08': 3, '20T09': 3, '20T10': 5 },
  });
  expect([audit?.begins, audit?.within, clicksOf(audit)]).toEqual([timeOf('20T10'), true, [5, 5, 'ok']]);
});

const SHARED = 'a network that gives ten shoppers one session hides no loads';
test.each([
  [SHARED, { shopper: String, id: () => 'load', noted: 'sessions_shared', ours: 10 }],
  [`${SHARED}, with ids of their own`, { shopper: String, id: String, noted: 'sessions_shared', ours: 10 }],
  [
    'a shopper who reports a load again and again changes no count',
    { shopper: () => 'one', id: String, noted: 'repeated:WIDGET_LOAD', ours: 1 },
  ],
])('%s', async (_, { shopper, id, noted, ours }) => {
  const store = await openDedupeFile(makeFolder());
  const { post } = setUp({ dedupe: store }); // its network knows one session
  const event_datetime = new Date().toISOString();
  for (let at = 0; at < 10; at++) {
    await post('/recommendations', { ...REQUEST, user_details: { external_guid: shopper(at) } });
    await post('/events', event({ event_id: id(at), event_name: 'WIDGET_LOAD', event_datetime }));
  }
  const today = event_datetime.slice(0, 10);
  const dates = { from: today, to: addDays(today, 1) };
  const counted = { name: noted, count: 9 }; // no response waits for it
  await expect.poll(async () => (await store.ledger.read(dates)).rows).toContainEqual(expect.objectContaining(counted));
  const hour = `${event_datetime.slice(0, 13)}:00:00Z`;
  const audit = await makeAudit({
    ledger: store.ledger,
    readPage: async () => ({
      data: [{ period_start: hour, period_end: hour, widget_loads: 1 }],
      summary: {},
      pagination: { offset: 0, limit: 10_000, total: 1, has_more: false },
      meta: { timezone: 'UTC', data_through: hour, request_id: '' },
    }),
    dates,
    grain: 'hour',
    by: [],
    tolerance: 0,
    now: Date.now(),
    partial: true,
  });
  const loads = audit?.totals.find(({ metric }) => metric === 'widget_loads');
  expect([audit?.within, loads?.ours, loads?.theirs]).toEqual([ours === 1, ours, 1]);
  const cause = { cause: 'shared_sessions', direction: 'missing', events: 9 };
  if (ours > 1) expect(audit?.explanations[0]).toMatchObject(cause);
  await store.close();
});
