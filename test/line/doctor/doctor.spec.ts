// `offerlet doctor` on pages that are right, and on pages that are wrong in one way each.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from '@playwright/test';
import { find, findLightest } from '../../browsers.mjs';
import { examineByHttp } from '../../../src/cli/doctor/examine.ts';
import { serve } from '../../../src/sandbox/serve.ts';
import { fakeRelay } from '../../../src/testing/fakeRelay.ts';
import { scriptTag, shop } from '../page/pageShop.ts';

interface Finding {
  readonly state: string;
  readonly title: string;
  readonly text: string;
}

interface Report {
  readonly exitCode: number | null;
  readonly ok: boolean;
  readonly relay: string | null;
  readonly browser: string | null;
  readonly findings: readonly Finding[];
  readonly stdout: string;
  readonly stderr: string;
}

const SCRIPT = readFileSync('dist/offerlet.js');
const HASH = `sha384-${createHash('sha384').update(SCRIPT).digest('base64')}`;
const relay = fakeRelay({ sandbox: false });

/** Pages of a shop, by path. */
const PAGES: Readonly<Record<string, { html: string; policy?: string }>> = {
  '/good': {
    html: shop(scriptTag().replace('<script', `<script integrity="${HASH}"`)),
    policy: "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:",
  },
  '/no-script': { html: shop('') },
  '/two-scripts': { html: shop(scriptTag() + scriptTag()) },
  '/changed-file': { html: shop(scriptTag().replace('<script', '<script integrity="sha384-AAAA"')) },
  '/no-file': { html: shop(scriptTag().replace('/offerlet.js', '/js/offerlet.js')) },
  '/policy-script': { html: shop(scriptTag()), policy: "script-src 'none'" },
  '/policy-relay': { html: shop(scriptTag()), policy: "connect-src 'none'" },
  '/wrong-relay': { html: shop(scriptTag({ relay: '/elsewhere' })) },
  '/no-mode': { html: shop(scriptTag({ view: 'BASKET' })) },
  '/consent': { html: shop(scriptTag({ consent: 'required' })) },
  '/moves': {
    html: shop(scriptTag()).replace(' style="min-height:300px"', '').replace('</body>', '<p>Below</p></body>'),
  },
  '/hidden': { html: shop(scriptTag()).replace('min-height:300px', 'display:none') },
  '/asks': { html: shop(`${scriptTag()}<script>alert('Cookies?'); confirm('Really?')</script>`) },
  '/throws': { html: shop(`${scriptTag()}<script>setTimeout(() => { throw new Error('the shop broke') })</script>`) },
};

let server: Awaited<ReturnType<typeof serve>>;
test.describe.configure({ timeout: 90_000 });
test.beforeAll(async () => {
  server = await serve(
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname.startsWith('/offers/')) return relay(request);
      const page = PAGES[pathname];
      const policy: Record<string, string> = page?.policy ? { 'content-security-policy': page.policy } : {};
      if (page) return new Response(page.html, { headers: { 'content-type': 'text/html', ...policy } });
      if (pathname === '/offerlet.js') return new Response(SCRIPT, { headers: { 'content-type': 'text/javascript' } });
      return new Response('Not found', { status: 404, headers: { 'content-type': 'text/html' } });
    },
    { port: 0 },
  );
});
test.beforeEach(() => relay.reset());
test.afterAll(() => server?.close());

/** Runs the built command on a page; in the browser that starts fastest, unless another one is named. */
async function doctor(page: string, ...more: readonly string[]): Promise<Report> {
  const args = ['dist/cli.js', 'doctor', '--page', page.startsWith('/') ? server.url + page : page, '--json', ...more];
  const env = { ...process.env, CHROMIUM_BIN: findLightest()?.path };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { ...(JSON.parse(stdout || '{}') as Report), exitCode, stdout, stderr };
}

const badOf = ({ findings }: Pick<Report, 'findings'>): string[] =>
  findings.filter(({ state }) => state === 'bad').map(({ title, text }) => `${title}: ${text}`);
const textOf = ({ findings }: Report, title: string): string | undefined =>
  findings.find((one) => one.title === title)?.text;

test('a page that is right passes every check, and its events are not counted', async () => {
  // The browser that merchants have.
  const report = await doctor('/good', '--browser', find('chromium')?.path ?? '');
  expect(badOf(report)).toEqual([]);
  expect([report.exitCode, report.ok, report.relay]).toEqual([0, true, `${server.url}/offers`]);
  expect(report.browser).toContain('Chrome/');
  expect(report.findings.map(({ title }) => title)).toEqual([
    'Page',
    'Script',
    'Integrity',
    'Content Security Policy',
    'Relay',
    'Environment',
    'Network and key',
    'Outcome',
    'Layout shift',
    'Console',
  ]);
  expect(relay.requests).toHaveLength(1);
  expect(relay.receipts).toEqual([]);
});

/** Checks that a page fails with findings that begin so, and with hardly any others. */
async function expectBad(path: string, expected: readonly string[]): Promise<void> {
  const report = await doctor(path);
  const found = badOf(report);
  for (const start of expected) expect(found, path).toContainEqual(expect.stringContaining(start));
  expect([report.exitCode, report.ok], path).toEqual([1, false]);
  expect(report.stderr, path).toMatch(/^offerlet: \d+ of \d+ checks failed\.\n$/);
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(expected.length + 1);
}

// Each of these is waited for until it is clear that it requests nothing: together, because nothing has to come in time.
test('a page that requests no offers fails, and the findings say why', async () => {
  const silent: Readonly<Record<string, readonly string[]>> = {
    '/no-script': ['Script: offerlet.js is not on this page.'],
    '/changed-file': ['Integrity: The file is not the one that integrity names', 'Outcome: The offers have no outcome'],
    '/no-file': ['Script file: ', 'Outcome: '],
    '/policy-script': ['Content Security Policy: It blocks ', 'Outcome: '],
  };
  await Promise.all(Object.entries(silent).map(([path, expected]) => expectBad(path, expected)));
  expect(relay.requests).toEqual([]);
});

for (const [path, expected] of [
  ['/two-scripts', ['Script: offerlet.js is on this page 2 times.']],
  ['/policy-relay', ['Content Security Policy: It blocks ', 'Outcome: network_error']],
  ['/wrong-relay', ['Relay: ', 'Network and key: The request for offers returned 404', 'Outcome: refused']],
  ['/no-mode', ['Outcome: invalid_config: ', 'Console: offerlet: ']],
  ['/moves', ['Layout shift: Content moved by ']],
  ['/hidden', ['Place: The offers have a box of 0 × 0 pixels: the page hides #offers']],
] as const)
  test(`${path} fails, and the findings say why`, () => expectBad(path, expected));

test('a refused key and an outage are distinguished', async () => {
  relay.setScenario('offers-refused');
  expect(badOf(await doctor('/good'))[0]).toContain('Network and key: The request for offers was refused with 403');
  relay.setScenario('offers-502');
  expect(badOf(await doctor('/good'))[0]).toContain('Network and key: The request for offers returned 502');
});

test('what may be on purpose is a note, and the exit code stays 0', async () => {
  relay.setScenario('no-offers');
  const [none, waiting, throwing] = await Promise.all(['/good', '/consent', '/throws'].map((path) => doctor(path)));
  const told = (report: Report | undefined, title: string) => report && [report.exitCode, textOf(report, title)];
  expect(told(none, 'Outcome')).toEqual([0, expect.stringContaining('no_offers')]);
  expect(told(waiting, 'Outcome')).toEqual([0, expect.stringContaining('waits for a decision on consent')]);
  expect(told(throwing, 'Console')).toEqual([0, expect.stringContaining('the shop broke')]);
});

test('a page that opens dialogs is examined all the same', async () => {
  const report = await doctor('/asks');
  expect([report.exitCode, badOf(report)]).toEqual([0, []]);
});

test('without a browser it checks what HTTP alone can tell', async () => {
  const good = await doctor('/good', '--browser', 'none');
  expect([good.exitCode, good.browser, badOf(good)]).toEqual([0, null, []]);
  // The command has been tested; what it finds on other pages needs no process.
  const badAt = async (path: string) => badOf(await examineByHttp({ page: server.url + path, relay: undefined }));
  expect(await badAt('/policy-script')).toEqual([
    `Content Security Policy: It blocks ${server.url}/offerlet.js. Add ${server.url} to script-src.`,
  ]);
  expect(await badAt('/policy-relay')).toEqual([
    `Content Security Policy: It blocks ${server.url}/offers/recommendations. Add ${server.url} to connect-src.`,
  ]);
  expect(await badAt('/changed-file')).toEqual([expect.stringContaining('Integrity: ')]);
  expect(await badAt('/wrong-relay')).toEqual([expect.stringContaining('Relay: ')]);
  expect(await badAt('/missing')).toEqual([`Page: ${server.url}/missing returns 404.`]);
});

test('a page that is not there is one finding; a wrong call is one line', async () => {
  const port = await freePort();
  for (const more of [[], ['--browser', 'none']]) {
    const report = await doctor(`http://127.0.0.1:${port}/`, ...more);
    expect([report.exitCode, badOf(report)]).toEqual([1, [expect.stringContaining('Page: ')]]);
  }
  const wrong = await doctor('shop');
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    expect.stringMatching(/^offerlet: --page is not a URL of a web page: "shop"\..*\n$/),
  ]);
  const broken = await doctor('/good', '--browser', '/bin/false');
  expect([broken.exitCode, broken.stderr]).toEqual([
    1,
    expect.stringMatching(/^offerlet: The browser \/bin\/false could not be used: .*\n$/),
  ]);
});

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}
