import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformWithOxc } from 'vite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { EXAMPLE_RULES } from '../../../src/operator/watch/rules.ts';
import { blocksIn } from '../../docs/pages.ts';
import { serve } from '../../fixtures/serve.ts';
import { useOperatorWorld } from '../operatorWorld.ts';

// `offerlet-operator watch`, against the whole sandbox network and a receiver of webhooks.

const world = useOperatorWorld();
const DAY = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
const SECRET = 'whsec_test_canary';
let receiver: Awaited<ReturnType<typeof openReceiver>>;
let rules = '';
let state = '';

beforeAll(async () => {
  receiver = await openReceiver();
  rules = join(world.folder, 'watch.yaml');
  state = join(world.folder, 'watch.state.json');
  // Two page types with 1,000 clicks on each of the last 35 days, but for yesterday.
  const row = { clicks: 1_000, impressions: 20_000 };
  for (const page_type of ['KIOSK', 'STAND'])
    await world.activity([
      ...Array.from({ length: 34 }, (_, index) => ({ ...row, day: dayBefore(index + 2), page_type })),
      { ...row, day: dayBefore(1), page_type, clicks: 100 },
    ]);
});
afterAll(() => receiver.close());
beforeEach(() => {
  rmSync(state, { force: true });
  receiver.received.length = 0;
  receiver.next.length = 0;
  writeFileSync(rules, rulesWith(`webhook:\n  url: ${receiver.url}\n`));
});

function rulesWith(head = '', except = 'STAND'): string {
  return `${head}rules:\n  kiosks:\n    kind: change\n    by: page_type\n    metric: clicks\n    below: -30%\n    minimum: 500\n    except: [${except}]\n`;
}

const watch = (words = '', env: Record<string, string> = {}) =>
  world.run(`watch --rules ${rules} ${words}`, { env: { OFFERLET_WEBHOOK_SECRET: SECRET, ...env } });
const bodies = () =>
  receiver.received.map(({ body }) => JSON.parse(body) as { id: string; event: string; text: string });
test('a cause is said once, stays in the exit code, and its end is said once', async () => {
  writeFileSync(rules, rulesWith(`webhook:\n  url: ${receiver.url}\n`, 'KIOSK'));
  const first = await watch();
  expect([first.code, first.stderr]).toEqual([6, '']);
  expect(first.stdout).toContain(`began ${dayBefore(1)} kiosks\n  STAND: Clicks on`);
  expect(first.stdout).toContain('100 against 1,000 usual (median of 1,000, 1,000, 1,000, 1,000');
  const second = await watch();
  expect([second.code, second.stdout, second.stderr]).toEqual([6, '', '']);
  expect((await watch('--all')).stdout).toContain(`open since ${dayBefore(1)} kiosks`);
  // The rest of yesterday's clicks arrives late.
  await world.activity([{ day: dayBefore(1), page_type: 'STAND', clicks: 900 }]);
  const third = await watch();
  expect([third.code, third.stdout]).toEqual([0, expect.stringContaining('recovered')]);
  expect(await watch()).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(bodies().map(({ event }) => event)).toEqual(['began', 'recovered']);
});

test('a delivery is signed with the time, and names neither key nor secret', async () => {
  await watch();
  const [delivery] = receiver.received;
  const { t = '', v1 } = Object.fromEntries(
    (delivery?.headers['offerlet-signature'] ?? '').split(',').map((part) => part.split('=') as [string, string]),
  );
  expect(Math.abs(Date.now() / 1_000 - Number(t))).toBeLessThan(60);
  expect(v1).toBe(
    createHmac('sha256', SECRET)
      .update(`${t}.${delivery?.body ?? ''}`)
      .digest('hex'),
  );
  expect(delivery?.headers['offerlet-message-id']).toBe(bodies()[0]?.id);
  const all = JSON.stringify(receiver.received) + readFileSync(state, 'utf8');
  expect([all.includes(world.key), all.includes(SECRET)]).toEqual([false, false]);
  expect(statSync(state).mode & 0o777).toBe(0o600);
});

test('a chat that accepts one field gets that field only', async () => {
  writeFileSync(rules, rulesWith(`webhook:\n  url: ${receiver.url}\n  field: content\n`));
  await watch();
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual({
    content: expect.stringMatching(/^Began: kiosks · Demo Channel\nKIOSK: Clicks on /) as string,
  });
});

test('a receiver that asks to wait gets the same message again after that time', async () => {
  receiver.next.push({ status: 429, headers: { 'retry-after': '2' } }, { status: 503 });
  const began = Date.now();
  expect((await watch()).code).toBe(6);
  expect(Date.now() - began).toBeGreaterThan(3_000);
  expect(new Set(bodies().map(({ id }) => id)).size).toBe(1);
  expect(bodies()).toHaveLength(3);
});

test('a message that a receiver refuses is queued, and sent by the next run under the same id', async () => {
  receiver.next.push({ status: 404 });
  const failed = await watch();
  expect([failed.code, failed.stderr]).toEqual([
    1,
    expect.stringMatching(/^offerlet: The webhook at 127\.0\.0\.1:\d+ returned 404\. The next run sends it again\.\n$/),
  ]);
  expect((await watch()).code).toBe(6);
  const [first, second, ...more] = bodies();
  expect([second?.id, more]).toEqual([first?.id, []]);
  expect(first?.id).toMatch(/^[0-9a-f-]{36}$/);
});

test('a redirect is not followed', async () => {
  receiver.next.push({ status: 302, headers: { location: `${receiver.url}/other` } });
  expect((await watch()).code).toBe(1);
  expect(receiver.received).toHaveLength(1);
});

test('a process that is killed between webhook and state leaves a message that has the same id again', async () => {
  receiver.next.push(...Array.from({ length: 9 }, () => ({ status: 503 })));
  const killed = world.runProcess(`watch --rules ${rules}`);
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const { outbox } = JSON.parse(readFileSync(state, 'utf8')) as { outbox: { id: string }[] };
  expect(outbox.map(({ id }) => id)).toEqual([bodies()[0]?.id]);
  // Killed after the receiver has it, before the file says so.
  const { pid } = JSON.parse(readFileSync(lockFile(), 'utf8')) as { pid: number };
  process.kill(pid, 'SIGKILL');
  expect((await killed).code).toBeNull();
  receiver.next.length = 0;
  expect((await watch()).code).toBe(6);
  expect(new Set(bodies().map(({ id }) => id)).size).toBe(1);
  const count = receiver.received.length;
  expect((await watch()).code).toBe(6);
  expect(receiver.received).toHaveLength(count);
});

test('a second process at the same time ends at once, and sends nothing', async () => {
  receiver.next.push(...Array.from({ length: 3 }, () => ({ status: 503 })));
  const first = world.runProcess(`watch --rules ${rules}`, { env: { OFFERLET_WEBHOOK_SECRET: SECRET } });
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1);
  expect(await watch()).toMatchObject({ code: 1, stderr: expect.stringContaining('Another "watch" uses') as string });
  expect((await first).code).toBe(6);
  expect(new Set(bodies().map(({ id }) => id)).size).toBe(1);
});

test('a dry run prints the signed request, sends nothing and writes nothing', async () => {
  const { code, stdout } = await watch('--dry-run');
  expect([code, receiver.received, existsSync(state)]).toEqual([6, [], false]);
  expect(stdout).toMatch(/offerlet-signature: t=\d+,v1=[0-9a-f]{64}\n\n\{"id":/);
  expect(stdout).not.toContain(SECRET);
});

test('a day that is not over, and data that ends before it, never raise an alarm', async () => {
  // Data of the day before yesterday only: yesterday's loss cannot be known.
  await world.control('PUT', 'settings', { data_through: `${dayBefore(1)}T09:00:00Z` });
  try {
    const { code, stdout } = await watch('--json');
    const { judged, events } = JSON.parse(stdout) as { judged: object; events: object[] };
    expect([code, judged, events]).toEqual([0, { from: dayBefore(2), to: dayBefore(2) }, []]);
    writeFileSync(rules, 'rules:\n  late:\n    kind: late\n    hours: 12\n');
    expect((await watch()).stdout).toMatch(/Data: The data ends on .*, \d+ hours ago; the limit is 12 hours\./);
  } finally {
    await world.control('PUT', 'settings', { data_through: null });
  }
});

test('a state file of another channel, or one that is damaged, is refused', async () => {
  writeFileSync(state, '{"version": 1, "causes": [');
  expect(await watch()).toMatchObject({ code: 2, stderr: expect.stringContaining('not a state file') as string });
  writeFileSync(
    state,
    JSON.stringify({ version: 1, network: 'https://other.example', channel: 'X', causes: [], outbox: [] }),
  );
  expect(await watch()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('belongs to the channel "X"') as string,
  });
  expect(receiver.received).toEqual([]);
});

test('CSV, JSON, a file, and a rule whose metric is not enabled', async () => {
  const csv = await watch('--dry-run --csv');
  expect(csv.stdout.split('\r\n')[0]).toBe('event,day,rule,id,name,since,text');
  const file = join(world.folder, 'watch.json');
  await watch(`--dry-run --output ${file}`);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ channel: 'Demo Channel', open: [{ rule: 'kiosks' }] });
  await world.control('PUT', 'settings', { enabled_metrics: ['impressions'] });
  const { code, stderr } = await watch('--dry-run');
  await world.control('PUT', 'settings', { enabled_metrics: null });
  expect([code, stderr]).toEqual([0, 'The rule kiosks is not judged: clicks is not enabled for the key.\n']);
});

test.each([
  ['--rules missing.yaml', 'there is no such file'],
  ['--backtest month', 'Use something like 90d'],
])('watch %s is refused with one line', async (words, line) => {
  const { code, stderr } = await world.run(`watch ${words}`);
  expect([code, stderr.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(line)]]);
});

test('a webhook without a state is refused, and one that is not https', async () => {
  const run = (url: string) => world.run('watch', { env: { OFFERLET_WEBHOOK_URL: url } });
  expect(await run(receiver.url)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('requires --state') as string,
  });
  const plain = await run('http://chat.example/TOKEN');
  expect([plain.code, plain.stderr.includes('not https'), plain.stderr.includes('TOKEN')]).toEqual([2, true, false]);
});

test('--init needs neither a network nor a key, and its rules are those without a file', async () => {
  const init = await world.run('watch --init', { env: { OFFERLET_NETWORK: '', OFFERLET_API_KEY: '' } });
  expect(init.code).toBe(0);
  writeFileSync(rules, init.stdout);
  const [own, usual] = [await watch('--json'), await world.run('watch --json')];
  expect(JSON.parse(own.stdout)).toEqual(JSON.parse(usual.stdout));
  expect(usual.stdout).toContain('waiting-requests');
});

// The receiver in docs/operators/watch.md, verbatim.
const blocks = (language: string) => blocksIn(language).filter(({ page }) => page === 'docs/operators/watch.md');
type IsGenuine = (body: string, header: string, secret: string, now?: number) => boolean;

test('the rules in the documentation are those of --init', () => {
  expect(blocks('yaml')[0]?.code.trim()).toBe(EXAMPLE_RULES.trim());
});

test('the receiver in the documentation accepts what the command sends, and nothing else', async () => {
  const file = join(world.folder, 'receiver.mjs');
  writeFileSync(file, (await transformWithOxc(blocks('ts')[0]?.code ?? '', 'receiver.ts')).code);
  const { isGenuine } = (await import(pathToFileURL(file).href)) as { isGenuine: IsGenuine };
  await watch('', { OFFERLET_WEBHOOK_SECRET: 'whsec_docs' });
  const [delivery] = receiver.received;
  const body = delivery?.body ?? '';
  const signature = delivery?.headers['offerlet-signature'] ?? '';
  expect(isGenuine(body, signature, 'whsec_docs')).toBe(true);
  expect(isGenuine(`${body} `, signature, 'whsec_docs')).toBe(false);
  expect(isGenuine(body, signature, 'whsec_other')).toBe(false);
  expect(isGenuine(body, signature.replace(/t=\d+/, `t=${Math.floor(Date.now() / 1_000) + 1}`), 'whsec_docs')).toBe(
    false,
  );
  expect(isGenuine(body, signature, 'whsec_docs', Date.now() + 600_000)).toBe(false);
  expect(isGenuine(body, '', 'whsec_docs')).toBe(false);
  // The fields of the message are those of the example.
  const [example] = blocks('json');
  expect(Object.keys(JSON.parse(body) as object)).toEqual(Object.keys(JSON.parse(example?.code ?? '{}') as object));
});

/** The lock of the state file: it names the process. */
function lockFile(): string {
  for (let number = 1_000; number > 0; number--)
    if (existsSync(`${state}.lock.${number}`)) return `${state}.lock.${number}`;
  throw new Error('There is no lock.');
}

/** What a webhook received. */
interface Received {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A receiver of webhooks with scripted responses. */
async function openReceiver(): Promise<{
  readonly url: string;
  readonly received: Received[];
  /** The statuses of the next responses; 200 after them. */
  readonly next: { status: number; headers?: Record<string, string> }[];
  close(): Promise<void>;
}> {
  const received: Received[] = [];
  const next: { status: number; headers?: Record<string, string> }[] = [];
  const server = await serve((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      const { status, headers } = next.shift() ?? { status: 200 };
      response.writeHead(status, headers).end();
    });
  });
  return { url: `${server.url}/hook`, received, next, close: server.close };
}
