// npm run bench -- paths: the source files that one request for offers, one click and one report cross.
//
// The line is the built one: a page in Chromium with the script, built as for the package, the `relay` and `network` commands,
// each in a separate process, and the network's embedded database. The report is that of the `report` command.
//
// A file counts for a station if at least one of its functions was called there from the start of the request to the
// end of its effects. Not counted: what runs while a module is imported, what has run before the request (start, page
// load), files without functions (types, constants), and dependencies. A whole round is played before the measured
// ones, so that what is loaded or remembered for all later requests is not counted either. The network draws other
// offers in each round, with or without a picture or a disclosure: a file counts if it ran in any of them.
// - Offers: from the call of `show()` until the offers are painted, and in the servers until nothing runs any more. The events
//   that the offers cause are held back meanwhile; they are delivered before the click.
// - Click: from the shopper's click on an offer until its event is stored and nothing runs any more.
// - Report: from the start of the command to its end.
//
// Coverage of V8 has counts but no order, and does not tell an import from a request. Therefore each function reports its calls:
// `paths/recordCalls.mjs` adds that to the modules of dist/ as Node loads them, and to the script's modules as they are built.
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type BrowserContext } from '@playwright/test';
import type { Plugin } from 'vite';
import { findLightest } from '../browsers.mjs';
import { CHROMIUM_FLAGS } from '../playwright.config.ts';
import { instrument, startRecording, type Called } from './paths/recordCalls.mjs';
import { buildScript } from './size/buildScript.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const RECORDER = fileURLToPath(new URL('paths/recordCalls.mjs', import.meta.url));
/** Milliseconds without a call after which nothing runs any more. The queue waits for less before it sends. */
const QUIET_MS = 1_500;
/** Milliseconds after which a station that still runs something is an error. */
const PATIENCE_MS = 30_000;
const ROUNDS = 4;

/** Something that runs the project's functions. */
interface Station {
  readonly name: string;
  /** Resolves to what ran since the last call. */
  take(): Promise<Called[]>;
}

interface Server extends Station {
  readonly url: string;
  readonly keys?: { readonly management: string; readonly integration: string };
  stop(): void;
}

/** What ran at each station, by its name. */
type Path = readonly (readonly [name: string, called: readonly Called[]])[];

type Paths = Record<'offers' | 'click' | 'report', Path>;

/** Plays offers, a click and a report, and prints their files. */
export async function run(): Promise<void> {
  const script = await buildScript({ plugins: [recording()] });
  const network = await startServer('network', ['network', '--memory', '--port', '0', '--json']);
  const { management = '', integration = '' } = network.keys ?? {};
  const relayOptions = ['--network', network.url, '--api-key', integration, '--base-path', '/offers', '--sandbox'];
  const relay = await startServer('relay', ['relay', ...relayOptions, '--port', '0', '--json']);
  const path = findLightest()?.path;
  const browser = await chromium.launch({ ...(path && { executablePath: path }), args: CHROMIUM_FLAGS });
  try {
    const round = { script: script.code, network, relay, management };
    const paths: Paths[] = [];
    for (let number = 0; number <= ROUNDS; number += 1) paths.push(await playRound(await browser.newContext(), round));
    for (const what of ['offers', 'click', 'report'] as const)
      print(
        what,
        paths.slice(1).map((path) => path[what]),
      );
  } finally {
    await browser.close();
    relay.stop();
    network.stop();
  }
}

interface Round {
  readonly script: string;
  readonly network: Server;
  readonly relay: Server;
  readonly management: string;
}

async function playRound(context: BrowserContext, { script, network, relay, management }: Round): Promise<Paths> {
  const page = await context.newPage();
  const shopper: Station = { name: 'page', take: () => page.evaluate(() => recordedCalls.take()) };
  const events = await openShop(context, { script, relay: relay.url });
  await page.goto(new URL('/', relay.url).href);
  await untilQuiet([shopper, relay, network]);

  events.hold();
  await page.evaluate(showOffers);
  const painted = await shopper.take();
  const offers: Path = [['page', painted], ...(await untilQuiet([relay, network]))];
  events.release();
  await untilQuiet([shopper, relay, network]);

  await page.locator('[part~=accept]').first().click();
  const click = await untilQuiet([shopper, relay, network]);
  await page.close();
  await untilQuiet([relay, network]);

  const command = await runCommand(['report', '--period', 'today', '--network', network.url], management);
  return { offers, click, report: [['command', command], ...(await untilQuiet([network]))] };
}

// What the recorder and the script add to the page.
declare const recordedCalls: { take(): Called[] };
declare const offerlet: { show(options: unknown): { outcome: Promise<{ code: string }> } };

/** Runs in the page: shows offers and waits until they are painted. */
async function showOffers(): Promise<void> {
  const request = {
    user_details: { external_guid: crypto.randomUUID() },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  };
  const { code } = await offerlet.show({ relay: '/offers', request, target: '#offers' }).outcome;
  if (!document.querySelector('#offers')?.firstElementChild) throw new Error(`No offers: ${code}.`);
  for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Serves the shop's page at the relay's origin. Returns how to hold its events back and how to deliver them. */
async function openShop(
  context: BrowserContext,
  { script, relay }: { script: string; relay: string },
): Promise<{ hold(): void; release(): void }> {
  let held: Promise<void> | undefined;
  let release = (): void => undefined;
  await context.addInitScript(startRecording);
  await context.route('**/*', async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    if (origin !== new URL(relay).origin) return route.fulfill({ contentType: 'text/html', body: 'An advertiser' });
    if (pathname === '/script.js') return route.fulfill({ contentType: 'text/javascript', body: script });
    if (pathname.endsWith('/events/batch')) await held;
    if (pathname !== '/') return route.continue();
    const body = `<!doctype html><html lang="en"><title>Thank you</title><link rel="icon" href="data:,"><div id="offers"></div><script src="/script.js"></script>`;
    return route.fulfill({ contentType: 'text/html', body });
  });
  return {
    hold: () => void (held = new Promise((resolve) => (release = resolve))),
    release: () => release(),
  };
}

/** Waits until no station runs anything any more. Resolves to what they ran meanwhile. */
async function untilQuiet(stations: readonly Station[]): Promise<Path> {
  const path = stations.map(({ name }) => [name, [] as Called[]] as const);
  const began = Date.now();
  for (let quietSince = began; Date.now() - quietSince < QUIET_MS;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const [index, station] of stations.entries()) {
      const taken = await station.take();
      path[index]?.[1].push(...taken);
      if (taken.length > 0) quietSince = Date.now();
      if (taken.length > 0 && quietSince - began > PATIENCE_MS)
        throw new Error(`${station.name} still runs ${taken.map(({ file }) => file).join(', ')}`);
    }
  }
  return path;
}

/** Starts a command that serves. */
async function startServer(name: string, argv: readonly string[]): Promise<Server> {
  const child = fork(programOf(name), argv, {
    execArgv: ['--import', RECORDER],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (part) => (errors += String(part)));
  const line = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (part) => {
      text += String(part);
      if (text.includes('\n')) resolve(text);
    });
    child.once('exit', (code) => reject(new Error(`${name} ended with exit code ${code}: ${errors}`)));
  });
  const { url, keys } = JSON.parse(line.slice(0, line.indexOf('\n'))) as Pick<Server, 'url' | 'keys'>;
  return {
    name,
    url,
    ...(keys && { keys }),
    take() {
      const taken = nextMessage(child);
      child.send('take');
      return taken;
    },
    stop: () => void child.kill(),
  };
}

/** Runs a command to its end. Resolves to what it ran. */
async function runCommand(argv: readonly [string, ...string[]], apiKey: string): Promise<Called[]> {
  const child = fork(programOf(argv[0]), argv, {
    execArgv: ['--import', RECORDER],
    env: { ...process.env, OFFERLET_API_KEY: apiKey },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (part) => (errors += String(part)));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const called = await nextMessage(child);
  const code = await ended;
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with exit code ${String(code)}: ${errors}`);
  return called;
}

function nextMessage(child: ChildProcess): Promise<Called[]> {
  return new Promise((resolve) => child.once('message', (message) => resolve(message as Called[])));
}

/** Returns the program of one of our packages that has a command. */
function programOf(command: string): string {
  for (const folder of ['.', ...readdirSync(ROOT)]) {
    const manifest = join(ROOT, folder, 'package.json');
    if (folder === 'node_modules' || !existsSync(manifest)) continue;
    const { bin = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin?: Record<string, string> };
    for (const file of Object.values(bin)) {
      const program = join(ROOT, folder, file);
      const { status } = spawnSync(process.execPath, [program, command, '--help'], { stdio: 'ignore' });
      if (status === 0) return program;
    }
  }
  throw new Error(`No program of our packages has the command ${command}.`);
}

/** Instruments the modules of the script. */
function recording(): Plugin {
  return {
    name: 'recording',
    enforce: 'post',
    transform(code, id) {
      const file = relative(ROOT, id).replaceAll('\\', '/');
      return /^src\/.*\.tsx?$/.test(file) ? { code: instrument(code, file), map: null } : undefined;
    },
  };
}

function print(what: string, rounds: readonly Path[]): void {
  const stations = (rounds[0] ?? []).map(([name], station) => ({
    name,
    files: filesOf(rounds.map((path) => path[station]?.[1] ?? [])),
  }));
  const total = stations.reduce((sum, { files }) => sum + files.size, 0);
  const counts = stations.map(({ name, files }) => `${name} ${files.size}`).join(', ');
  console.log(`${what}: ${total} files (${counts})`);
  for (const { name, files } of stations) {
    console.log(`\n  ${name}: ${files.size} files in the order of their first use`);
    for (const [file, { functions, times }] of files) {
      const count = `${functions.size} function${functions.size === 1 ? '' : 's'}`;
      console.log(`    ${file.padEnd(56)} ${count}${times < ROUNDS ? `, in ${times} of ${ROUNDS} rounds` : ''}`);
    }
  }
  console.log();
}

/** Returns the source files that a station ran in any round. */
function filesOf(rounds: readonly (readonly Called[])[]): Map<string, { functions: Set<number>; times: number }> {
  const files = new Map<string, { functions: Set<number>; times: number }>();
  for (const called of rounds) {
    const seen = new Set<string>();
    for (const { file, functions } of called) {
      const source = sourceOf(file);
      const known = files.get(source) ?? { functions: new Set(), times: 0 };
      files.set(source, known);
      for (const position of functions) known.functions.add(position);
      if (!seen.has(source)) known.times += 1;
      seen.add(source);
    }
  }
  return files;
}

/** Returns the source of a built module, which has the same path in its package's dist/. */
function sourceOf(file: string): string {
  const path = file.replace(/^(.*\/)?dist\//, 'src/').replace(/\.js$/, '');
  return ['.ts', '.tsx'].map((extension) => path + extension).find((source) => existsSync(join(ROOT, source))) ?? file;
}
