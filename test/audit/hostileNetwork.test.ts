import { expect, test } from 'vitest';
import { auditCommand } from '../../src/cli/audit/auditCommand.ts';
import { readPublisherReport } from '../../src/cli/audit/readPublisherReport.ts';
import { ExitError } from '../../src/cli/ExitError.ts';
import { UsageError } from '../../src/cli/UsageError.ts';

const KEY = 'adnet_sk_test_canary0123456789';
const DAY = '2026-11-20';

/** Reads the report of a network whose response is always the same. */
async function failureOf(status: number, body: string): Promise<ExitError> {
  const fetch = (): Promise<Response> => Promise.resolve(new Response(body, { status }));
  const source = { network: 'https://network.example', apiKey: KEY, fetch };
  const query = { dates: { from: DAY, to: DAY }, grain: 'day', groupBy: [], metrics: ['clicks'] } as const;
  const error: unknown = await readPublisherReport(source, query).catch((reason: unknown) => reason);
  if (!(error instanceof ExitError)) throw new Error(`expected an ExitError, got ${String(error)}`);
  return error;
}

test('a report without end is an error', async () => {
  const row = { period_start: `${DAY}T00:00:00Z`, period_end: `${DAY}T01:00:00Z`, clicks: 1 };
  const body = JSON.stringify({
    data: Array.from({ length: 130_000 }, () => row),
    summary: {},
    pagination: { offset: 0, limit: 250, total: 9, has_more: true },
    meta: { timezone: 'UTC', data_through: null, request_id: '' },
  });
  expect((await failureOf(200, body)).message).toBe('The report of the network has no end.');
}, 60_000);

test('a refusal is one line that controls no terminal, and has the key in no encoding', async () => {
  const escaped = [...KEY].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  for (const text of [KEY, KEY.toUpperCase(), escaped, btoa(KEY)])
    for (const status of [400, 401])
      expect((await failureOf(status, `{"detail":"no: ${text}"}`)).message).not.toMatch(/canary|Y2FuYXJ5/i);
  const { message } = await failureOf(401, JSON.stringify({ detail: 'no\n::error::x\u001B[2J\u202E' }));
  expect(message).toMatch(/^The network refused the key: no ::error::x\[2J/);
});

test.each([
  ['http://network.example', 'adnet_sk_live_canary0123456789', 'is not https'],
  ['http://network.example', 'another-networks-key', 'is not https'],
  ['https://me:hunter2@network.example', KEY, 'must not contain credentials'],
  ['https://network.example?key=hunter2', KEY, 'must not contain credentials'],
])('the key is not sent to %s', async (network, key, problem) => {
  const argv = ['--data', '/nowhere', '--network', network, '--from', DAY];
  const error: unknown = await auditCommand
    .run({ argv, env: { OFFERLET_REPORTING_KEY: key } })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain(problem);
  expect(String(error)).not.toMatch(/hunter2|canary/);
});
