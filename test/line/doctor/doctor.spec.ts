// `offerlet doctor` on pages that are right, and on pages that are wrong in one way each.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { expect, test } from '@playwright/test';
import { find, findLightest } from '../../browsers.mjs';
import { examineByHttp } from '../../../src/cli/doctor/examine.ts';
import { serve } from '../../../src/sandbox/startNetwork.ts';
import { fakeRelay } from '../../../src/testing/fakeRelay.ts';
import { cardOf, styleHash } from '../page/htmlPage.ts';
import { block, inScript, scriptTag, shop } from '../page/pageShop.ts';
import { freePort } from '../../fixtures/serve.ts';

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

const withCard = (): string => {
  const json = block({ shopper: {} });
  return shop(inScript(json) + scriptTag()).replace('px"></div>', `px">${cardOf(json)}</div>`);
};

/** Pages of a shop, by path. */
const PAGES: Readonly<Record<string, { html: string; policy?: string; cache?: string }>> = {
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
  '/wrong-target': { html: shop(scriptTag({ target: '#offer' })) },
  '/pale': { html: shop(`${scriptTag()}<style>#offers { --offerlet-text: #eee; --offerlet-surface: #fff }</style>`) },
  '/shared': {
    html: shop(`<script type="application/json" data-offerlet-offers>{}</script>${scriptTag()}`),
    cache: 'public, max-age=60',
  },
  '/unseen-card': { html: withCard(), cache: 'private, no-store', policy: "style-src 'self'" },
  '/another-order': {
    html: shop(inScript(block({ order_id: '7', shopper: {} })) + scriptTag()),
    cache: 'private, no-store',
  },
  '/writes': {
    html: shop(`${scriptTag()}<script>console.error('\\u202e##[add-path]/tmp\\n::error::pwned \\u009b31m')</script>`),
  },
  '/downloads': {
    html: shop(
      `${scriptTag()}<a download="evil.txt" href="data:text/plain,evil">x</a><script>setInterval(() => document.querySelector('a').click(), 300)</script>`,
    ),
  },
  '/no-mode': { html: shop(scriptTag({ view: 'BASKET' })) },
  '/consent': { html: shop(scriptTag({ consent: 'required' })) },
  '/moves': {
    html: shop(scriptTag()).replace(' style="min-height:300px"', '').replace('</body>', '<p>Below</p></body>'),
  },
  '/hidden': { html: shop(scriptTag()).replace('min-height:300px', 'display:none') },
  '/throws': { html: shop(`${scriptTag()}<script>setTimeout(() => { throw new Error('the shop broke') })</script>`) },
};

let server: Awaited<ReturnType<typeof serve>>;
/** Paths with their queries. */
const requested = new Set<string>();
test.beforeAll(async () => {
  server = await serve(
    (request) => {
      const { pathname, search } = new URL(request.url);
      requested.add(pathname + search);
      if (pathname.startsWith('/offers/')) return relay(request);
      const page = PAGES[pathname];
      const policy: Record<string, string> = page?.policy ? { 'content-security-policy': page.policy } : {};
      const cache: Record<string, string> = page?.cache ? { 'cache-control': page.cache } : {};
      if (page) return new Response(page.html, { headers: { 'content-type': 'text/html', ...policy, ...cache } });
      if (pathname === '/offerlet.js') return new Response(SCRIPT, { headers: { 'content-type': 'text/javascript' } });
      return new Response('Not found', { status: 404, headers: { 'content-type': 'text/html' } });
    },
    { port: 0 },
  );
});
test.beforeEach(() => relay.reset());
test.afterAll(() => server?.close());

/** Who has no sandbox has to say so. */
const AS_ROOT = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const WARNING = /^offerlet: the browser runs without its sandbox.*\n/;

interface Call {
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  json?: boolean;
  onStart?: (kill: (signal: NodeJS.Signals) => void) => Promise<void>;
}

/** Runs the built command on a page; in the browser that starts fastest, unless another one is named. */
async function doctor(
  page: string,
  { args: more = [], env: given = {}, cwd, json = true, onStart }: Call = {},
): Promise<Report> {
  const url = page.startsWith('/') ? server.url + page : page;
  const args = [resolve('dist/cli.js'), 'doctor', url, ...(json ? ['--json'] : []), ...AS_ROOT, ...more];
  const env = { ...process.env, CHROMIUM_BIN: findLightest()?.path, ...given };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env, cwd });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const closed = new Promise<number | null>((done) => child.once('close', done));
  await onStart?.((signal) => child.kill(signal));
  const exitCode = await closed;
  return { ...(JSON.parse((json && stdout) || '{}') as Report), exitCode, stdout, stderr: stderr.replace(WARNING, '') };
}

const badOf = ({ findings }: Pick<Report, 'findings'>): string[] =>
  findings.filter(({ state }) => state === 'bad').map(({ title, text }) => `${title}: ${text}`);
const textOf = ({ findings }: Report, title: string): string | undefined =>
  findings.find((one) => one.title === title)?.text;

test('a page that is right passes every check, and its events are not counted', async () => {
  // The browser that merchants have.
  const report = await doctor('/good', { args: ['--browser', find('chromium')?.path ?? ''] });
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
    'Contrast',
    'Console',
  ]);
  expect(relay.requests).toHaveLength(1);
  expect(relay.receipts).toEqual([]);
});

/** What the command says of its end, which is JSON beside its report. */
function errorOf({ stderr }: { readonly stderr: string }): string {
  return (JSON.parse(stderr) as { error: { message: string } }).error.message;
}

/** Checks that a page fails with one finding: one cause is counted once, and is said in whole sentences. */
async function expectBad(path: string, expected: string): Promise<void> {
  const report = await doctor(path);
  expect(badOf(report), path).toEqual([expect.stringContaining(expected)]);
  expect([report.exitCode, report.ok], path).toEqual([1, false]);
  expect(errorOf(report), path).toMatch(/^1 of \d+ checks failed\.$/);
  for (const { text } of report.findings) expect(text, path).not.toMatch(/\.\.|\. \.|\s$/);
}

// Each of these is waited for until it is clear that it requests nothing: together, because nothing has to come in time.
test('a page that requests no offers fails, and one finding says why', async () => {
  const silent: Readonly<Record<string, string>> = {
    '/no-script': 'Script: offerlet.js is not on this page.',
    '/changed-file': 'Integrity: The file is not the one that integrity names',
    '/no-file': '/js/offerlet.js returns 404. Upload the file there, or correct src.',
    '/policy-script': 'Content Security Policy: It blocks ',
  };
  await Promise.all(Object.entries(silent).map(([path, expected]) => expectBad(path, expected)));
  expect(relay.requests).toEqual([]);
});

for (const [path, expected] of [
  ['/two-scripts', 'Script: offerlet.js is on this page 2 times.'],
  ['/policy-relay', 'Content Security Policy: It blocks '],
  ['/wrong-relay', '/elsewhere/health returns 404. Mount the relay there, or correct the path on the page.'],
  ['/wrong-target', 'Place: "#offer" matches nothing on this page.'],
  ['/no-mode', 'Outcome: invalid_config: '],
  ['/moves', 'Layout shift: Content moved by '],
  ['/hidden', 'Place: The offers have a box of 0 × 0 pixels: the page hides #offers'],
  ['/pale', 'Contrast: Too low: Heading 1.'],
  [
    '/shared',
    'Cache: The page contains prefetched offers, which are for one shopper only. Its Cache-Control is "public, max-age=60"',
  ],
] as const)
  test(`${path} fails, and one finding says why`, () => expectBad(path, expected));

test('what may be on purpose is a note, and the exit code says whether offers were shown', async () => {
  relay.setScenario('no-offers');
  const none = await doctor('/good');
  relay.setScenario('one-offer');
  const throwing = await doctor('/throws');
  const waiting = await doctor('/consent');
  const told = (report: Report, title: string) => [report.exitCode, textOf(report, title)];
  expect(told(none, 'Outcome')).toEqual([1, expect.stringContaining('no_offers')]);
  expect([none.ok, errorOf(none)]).toEqual([false, 'No offers were shown.']);
  expect(textOf(waiting, 'Outcome')).toContain('waits for a decision on consent');
  expect(told(waiting, 'Console')).toEqual([1, 'No other errors.']);
  expect(told(throwing, 'Console')).toEqual([0, expect.stringContaining('the shop broke')]);
});

test('whether prefetched offers were used is said, and why not', async () => {
  const unseen = await doctor('/unseen-card');
  expect(badOf(unseen)).toEqual([expect.stringContaining(`Add ${styleHash} to style-src`)]);
  expect(textOf(unseen, 'Prefetch')).toBe('The offers that the server has prefetched were used.');
  const unused = await doctor('/another-order');
  expect([unused.exitCode, textOf(unused, 'Prefetch')]).toEqual([
    0,
    'The offers that the server has prefetched were not used. They are for another order.',
  ]);
  expect(relay.requests).toHaveLength(1);
  const byHttp = await examineByHttp({ page: `${server.url}/shared`, relay: undefined });
  expect(badOf(byHttp)).toEqual([expect.stringContaining('Cache: The page contains prefetched offers')]);
});

test('nothing that a page writes controls a terminal or a CI job, and nothing that it downloads stays', async () => {
  const home = mkdtempSync(join(tmpdir(), 'offerlet-home-'));
  try {
    const env = { HOME: home, TMPDIR: home };
    const [printed, read] = await Promise.all([
      doctor('/writes', { env }),
      doctor('/writes', { env, json: false }),
      doctor('/downloads', { env }),
    ]);
    expect(printed.stdout).toMatch(/^[^\p{Cc}\p{Cf}]*\n$/u);
    expect(printed.stdout).not.toMatch(/##\[|^\s*::/m);
    expect(textOf(printed, 'Console')).toContain('\u202e##[add-path]/tmp');
    expect(read.stdout).toContain('add-path');
    expect(read.stdout).not.toMatch(/##\[|^\s*::|[\u202e\u009b]/m);
    expect(readdirSync(home)).toEqual([]);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('a signal ends the browser, and leaves no profile', async () => {
  const home = mkdtempSync(join(tmpdir(), 'offerlet-home-'));
  try {
    const stopped = async (signal: NodeJS.Signals, path: string): Promise<number | null> => {
      const onStart = async (kill: (signal: NodeJS.Signals) => void): Promise<void> => {
        await expect.poll(() => requested.has(path)).toBe(true);
        kill(signal);
      };
      return (await doctor(path, { env: { TMPDIR: home }, json: false, onStart })).exitCode;
    };
    const codes = [stopped('SIGINT', '/consent?1'), stopped('SIGTERM', '/consent?2'), stopped('SIGHUP', '/consent?3')];
    expect(await Promise.all(codes)).toEqual([130, 143, 129]);
    expect(readdirSync(home)).toEqual([]);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('the browser gets only the variables that it requires, and a way through the proxy; one that ends says why', async () => {
  const home = mkdtempSync(join(tmpdir(), 'offerlet-home-'));
  const folder = mkdtempSync(join(tmpdir(), 'offerlet-browser-'));
  try {
    const path = join(folder, 'browser');
    const text = `#!/bin/sh\nenv > ${folder}/env\necho "$@" > ${folder}/args\necho "libnss3.so: not found" >&2\nexit 1\n`;
    writeFileSync(path, text, { mode: 0o755 });
    const secrets = ['OFFERLET_API_KEY', 'AWS_SECRET_ACCESS_KEY', 'HTTPS_PROXY'].map((name) => [name, 'http://CANARY']);
    const env = { TMPDIR: home, LANG: 'de_DE.UTF-8', ...(Object.fromEntries(secrets) as Record<string, string>) };
    const report = await doctor('/good', { args: ['--browser', path], env });
    expect([report.exitCode, report.stderr]).toEqual([
      1,
      expect.stringContaining('the browser has ended (libnss3.so: not found).'),
    ]);
    const [given = '', args = ''] = ['env', 'args'].map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(given + args).not.toContain('CANARY');
    expect(given).toMatch(/^HOME=.*offerlet-doctor-/m);
    expect(given).toMatch(/^LANG=de_DE.UTF-8$/m);
    expect(args).toMatch(/--proxy-server=socks5:\/\/127\.0\.0\.1:\d+/);
    expect(args).toMatch(/--proxy-bypass-list=\S*<-loopback>/);
    expect(readdirSync(home)).toEqual([]);
  } finally {
    for (const each of [home, folder]) rmSync(each, { recursive: true });
  }
});

test('nothing in the current folder is executed, and the browser gets no key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'offerlet-clone-'));
  try {
    const trace = join(folder, 'executed');
    const evil = `#!/bin/sh\nenv >> ${trace}\n`;
    for (const [path, text] of [
      [
        'node_modules/playwright-core/index.js',
        `require('node:fs').writeFileSync(${JSON.stringify(trace)}, 'playwright-core')`,
      ],
      ['node_modules/playwright-core/package.json', '{"name":"playwright-core","main":"index.js"}'],
      ['node_modules/.bin/chromium', evil],
      ['bin/google-chrome', evil],
      ['chromium', evil],
    ] as const) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text, { mode: 0o755 });
    }
    const path = ['node_modules/.bin', 'bin', '.', ''].map((name) => (name ? join(folder, name) : name));
    const env = {
      PATH: [...path, '.', 'bin', process.env['PATH'] ?? ''].join(delimiter),
      CHROMIUM_BIN: '',
      OFFERLET_API_KEY: 'adnet_sk_test_CANARY',
    };
    const report = await doctor('/good', { env, cwd: folder });
    expect([report.exitCode, badOf(report)]).toEqual([0, []]);
    expect(existsSync(trace)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('without a browser it checks what HTTP alone reveals', async () => {
  const good = await doctor('/good', { args: ['--browser', 'none'] });
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
  for (const args of [[], ['--browser', 'none']]) {
    const report = await doctor(`http://127.0.0.1:${port}/`, { args });
    expect([report.exitCode, badOf(report)]).toEqual([1, [expect.stringContaining('Page: ')]]);
  }
  const wrong = await doctor('shop');
  expect([wrong.exitCode, errorOf(wrong)]).toEqual([
    2,
    expect.stringMatching(/^The page is not a URL of a web page: "shop"\./),
  ]);
  const broken = await doctor('/good', { args: ['--browser', '/bin/false'] });
  expect([broken.exitCode, errorOf(broken)]).toEqual([
    1,
    expect.stringMatching(/^The browser \/bin\/false could not be used: /),
  ]);
});
