import { expect, test } from 'vitest';
import { auditCommand } from '../../src/cli/audit/auditCommand.ts';
import { createPageReader } from '../../src/cli/audit/createPageReader.ts';
import { ExitError, UsageError } from '../../src/program/ExitError.ts';
import { readAuditReport } from '../../src/cli/audit/readAuditReport.ts';

const KEY = 'adnet_sk_test_canary0123456789';
const DAY = '2026-11-20';
const NETWORK = 'https://network.example';

/** The error of reading the report of a network whose response to a request for rows from an offset on is this. */
async function errorOf(respond: (offset: number) => Response | Promise<Response>, timeoutMs?: number): Promise<Error> {
  const readPage = createPageReader({
    network: NETWORK,
    apiKey: KEY,
    fetch: async (url, init) => {
      const aborted = new Promise<never>((_, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      );
      return Promise.race([respond(offsetOf(url)), aborted]);
    },
    note: () => undefined,
    timeoutMs,
  });
  const query = { dates: { from: DAY, to: DAY }, grain: 'hour', groupBy: ['widget_id'], metrics: ['clicks'] } as const;
  const error: unknown = await readAuditReport(readPage, query).catch((reason: unknown) => reason);
  if (!(error instanceof Error)) throw new Error('expected an error');
  return error;
}

function offsetOf(url: string | URL | Request): number {
  return Number(new URL(new Request(url).url).searchParams.get('offset'));
}

async function failureOf(status: number, body: string): Promise<ExitError> {
  const error = await errorOf(() => new Response(body, { status }));
  if (!(error instanceof ExitError)) throw new Error(`expected an ExitError, got ${String(error)}`);
  return error;
}

function page(data: readonly object[], pagination: object = {}): Response {
  return Response.json({
    data,
    summary: {},
    pagination: { offset: 0, limit: 10_000, total: 9, has_more: false, ...pagination },
    meta: { timezone: 'UTC', data_through: null, request_id: '' },
  });
}

const HOUR = { period_start: `${DAY}T10:00:00Z`, period_end: `${DAY}T11:00:00Z` };

test.each([1, 100, 10_000])('a report without end is an error, in pages of %i rows', async (size) => {
  let [pages, widget] = [0, 0];
  const error = await errorOf((offset) => {
    pages += 1;
    const rows = Array.from({ length: size }, () => ({ ...HOUR, widget_id: String(widget++), clicks: 1 }));
    return page(rows, { offset, limit: size, has_more: true });
  });
  expect(error.message).toMatch(/^The network's report has no end: after [\d,]+ rows on \d+ pages, it says that/);
  expect(pages).toBeLessThanOrEqual(100);
});

test('a page that is short, empty or another one than was requested is an error', async () => {
  const rows = [{ ...HOUR, widget_id: 'a', clicks: 1 }];
  expect((await errorOf(() => page(rows, { has_more: true }))).message).toMatch(/has a gap: after 1 rows of a page of/);
  expect((await errorOf(() => page([], { has_more: true }))).message).toMatch(/has a gap: after 0 rows/);
  expect((await errorOf(() => page(rows, { limit: 1, has_more: true }))).message).toMatch(
    /has no order: rows from 1 on were requested, and it returned those from 0 on/,
  );
});

test('a network that never responds ends with the time for all reports, and says so', async () => {
  const never = await errorOf(() => new Promise(() => undefined), 300);
  expect(never.message).toBe('The network did not return its reports within 1 seconds.');
  const waits = await errorOf(() => new Response('', { status: 429, headers: { 'retry-after': '60' } }), 300);
  expect(waits.message).toBe('The network did not return its reports within 1 seconds. The network returned 429.');
  const tomorrow = await errorOf(() => new Response('', { status: 429, headers: { 'retry-after': '86400' } }), 60_000);
  expect(tomorrow.message).toBe('The network returned 429, and asks to wait 86,400 seconds.');
  let offset = 0;
  const slow = await errorOf(async (from) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return page([{ ...HOUR, widget_id: String(offset++), clicks: 1 }], { offset: from, limit: 1, has_more: true });
  }, 450);
  expect(slow.message).toMatch(/did not return its reports/);
  expect(offset).toBeLessThan(10);
});

test('a network that is tried again is named once', async () => {
  const notes: string[] = [];
  let tries = 0;
  const readPage = createPageReader({
    network: NETWORK,
    apiKey: KEY,
    fetch: () => {
      tries += 1;
      if (tries % 2 === 0) return Promise.resolve(page([]));
      return tries === 1 ? Promise.reject(new Error('no route')) : Promise.resolve(new Response('', { status: 503 }));
    },
    note: (line) => notes.push(line),
  });
  const query = { dates: { from: DAY, to: DAY }, grain: 'day', groupBy: [], metrics: ['clicks'] } as const;
  for (let at = 0; at < 2; at++) await readAuditReport(readPage, query);
  expect([tries, notes]).toEqual([4, ['The network could not be reached. Trying again.']]);
});

test.each([
  [{ clicks: -1 }, 'has clicks -1, which is not a count'],
  [{ clicks: 1.5 }, 'has clicks 1.5, which is not a count'],
  [{ clicks: '1e308' }, 'has clicks 1e+308, which is not a count'],
  [{ clicks: 2 ** 53 }, 'has clicks 9007199254740992, which is not a count'],
  [{ period_start: '2026-11-19T23:00:00Z' }, 'begins at 2026-11-19T23:00:00Z, which is not within 2026-11-20 to'],
  [{ period_start: '2026-11-21T00:00:00Z' }, 'begins at 2026-11-21T00:00:00Z, which is not within 2026-11-20 to'],
  [{ period_start: `${DAY}T10:30:00Z` }, 'begins at 2026-11-20T10:30:00Z, which is not the beginning of a UTC hour'],
  [{ widget_id: 'a' }, 'repeats row 1'],
])('a row with %j is an error that names it', async (fields, problem) => {
  const good = { ...HOUR, widget_id: 'a', clicks: 1 };
  const { message } = await errorOf(() => page([good, { ...good, widget_id: 'b', ...fields }]));
  expect(message).toContain("Row 2 of the network's report by the hour ");
  expect(message).toContain(problem);
});

test('a refusal is one line that controls no terminal, and has the key in no escape', async () => {
  const escaped = [...KEY].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  for (const text of [KEY, KEY.toUpperCase(), escaped])
    for (const status of [400, 401])
      expect((await failureOf(status, `{"detail":"no: ${text}"}`)).message).not.toMatch(/canary/i);
  const { message } = await failureOf(401, JSON.stringify({ detail: 'no\n::error::x\u001B[2J\u202E' }));
  expect(message).toMatch(/^The network refused the key: no ::error::x\[2J/);
});

test.each([
  ['http://network.example', 'adnet_sk_live_canary0123456789', 'is not https'],
  ['http://network.example', 'another-networks-key', 'is not https'],
  ['https://me:hunter2@network.example', KEY, 'contains a user name or a password'],
  ['https://network.example?key=hunter2', KEY, 'ends in a query'],
])('the key is not sent to %s', async (network, key, problem) => {
  const argv = ['--data', '/nowhere', '--network', network, '--from', DAY];
  const error: unknown = await auditCommand
    .run({ argv, env: { OFFERLET_REPORTING_KEY: key } })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain(problem);
  expect(String(error)).not.toMatch(/hunter2|canary/);
});
