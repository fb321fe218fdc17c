import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Browser, BrowserType } from 'playwright-core';

/** A browser that is started, with an empty profile. */
export interface OpenBrowser {
  readonly browser: Browser;
  /** Ends it, and removes what it has left. */
  close(): Promise<void>;
}

/** How a browser is started. */
export interface BrowserOptions {
  /** The port of the SOCKS proxy on 127.0.0.1 that everything goes through. */
  readonly proxyPort: number;
  /** False only if the caller of the command said so. */
  readonly isSandboxed: boolean;
  readonly env: NodeJS.ProcessEnv;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What a page could do besides being a page, and where its names are looked up: nowhere but at the proxy. */
const FLAGS = [
  '--block-new-web-contents',
  '--deny-permission-prompts',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
];
const VARIABLES = ['CHROMIUM_BIN', 'CHROME_PATH', 'CHROME_BIN'];
/** Where systems install it. The current folder may be a stranger's clone, and npx puts its programs on the PATH. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/opt/homebrew/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];
/** Variables that a browser cannot start without. None of them holds a secret. */
const PASSED = [
  'LANG',
  'LC_ALL',
  'TZ',
  'SystemRoot',
  'SYSTEMDRIVE',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMDATA',
];

/** Playwright's Chromium, if it is installed beside offerlet: never from the current folder. */
export async function loadPlaywright(): Promise<BrowserType | undefined> {
  return (await import('playwright-core').catch(() => undefined))?.chromium;
}

/** Finds an installed Chromium: named by an environment variable, downloaded by Playwright, or the system's. */
export async function findBrowser(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = VARIABLES.map((name) => env[name]).find(Boolean);
  const chromium = await loadPlaywright();
  return named ?? [chromium?.executablePath() ?? '', ...PLACES].find((path) => existsSync(path));
}

/** Starts a browser. Rejects when it ends or does not respond. */
export async function openBrowser(path: string, options: BrowserOptions): Promise<OpenBrowser> {
  const { proxyPort, isSandboxed, env } = options;
  const chromium = await loadPlaywright();
  if (!chromium) throw new Error('playwright-core is not installed. Run npm install --save-dev playwright-core.');
  if (!existsSync(path)) throw new Error('it is not there.');
  const home = mkdtempSync(join(tmpdir(), 'offerlet-doctor-'));
  // Chromium opens mail links of a page in another program, without a prompt.
  mkdirSync(join(home, 'shims'));
  if (existsSync('/bin/false')) symlinkSync('/bin/false', join(home, 'shims/xdg-open'));
  const passed = PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const folders = ['HOME', 'USERPROFILE', 'TMPDIR', 'TEMP', 'TMP'].map((name) => [name, home] as const);
  const launched = chromium.launch({
    executablePath: resolve(path),
    chromiumSandbox: isSandboxed,
    // Not even loopback addresses go past it.
    proxy: { server: `socks5://127.0.0.1:${proxyPort}`, bypass: '<-loopback>' },
    args: FLAGS,
    // It must not get keys from the environment.
    env: {
      ...Object.fromEntries([...passed, ...folders]),
      PATH: [join(home, 'shims'), '/usr/bin', '/bin', '/usr/sbin', '/sbin'].join(delimiter),
    },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  async function close(): Promise<void> {
    await launched.then((browser) => browser.close()).catch(() => undefined);
    remove();
    for (const signal of SIGNALS) process.off(signal, abandon);
  }
  function remove(): void {
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  /** Ctrl-C, a CI job that is cancelled, or a terminal that is closed leaves neither a process nor a profile. */
  function abandon(signal: NodeJS.Signals): void {
    // Playwright has listened for longer: its browser ends first.
    process.on('exit', remove);
    process.exit(128 + constants.signals[signal]);
  }
  for (const signal of SIGNALS) process.on(signal, abandon);
  try {
    return { browser: await launched, close };
  } catch (error) {
    await close();
    throw new Error(reasonIn(stripVTControlCharacters(String(error))), { cause: error });
  }
}

/** Why a browser did not start, in a sentence. */
function reasonIn(log: string): string {
  if (/no usable sandbox|without --no-sandbox|sandbox.*(namespace|setuid|operation not permitted)/is.test(log))
    return 'it has no sandbox here. Run as a user who may create namespaces, or add --no-sandbox if you trust the page.';
  const said = [...log.matchAll(/\[err\] (.*)/g)].at(-1)?.[1];
  return said === undefined ? 'the browser has ended.' : `the browser has ended (${said.slice(0, 300)}).`;
}
