import { spawn, type ChildProcess } from 'node:child_process';
import {
  accessSync,
  constants as modes,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { constants, homedir, tmpdir } from 'node:os';
import { delimiter, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isObject, own, parseJson } from '../../wire/json.ts';
import { EXIT } from '../ExitError.ts';

/** A message of the DevTools protocol that is not a response. */
export interface BrowserEvent {
  readonly method: string;
  readonly params: unknown;
  readonly session: unknown;
  /** It was too long to be read: only its method is known. */
  readonly isSkipped: boolean;
}

/** A running browser, driven over a pipe: no port, and no package. */
export interface Browser {
  /** Such as `Chrome/156.0.8078.79`. */
  readonly version: string;
  /** Calls a method of the DevTools protocol; in a page when there is a session. Rejects after `ms`. */
  send(method: string, params?: object, options?: { session?: string; ms?: number }): Promise<unknown>;
  onEvent(listener: (event: BrowserEvent) => void): void;
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

/** How a browser is started. */
export interface BrowserOptions {
  /** The port of the SOCKS proxy on 127.0.0.1 that everything goes through. */
  readonly proxyPort: number;
  /** False only if the caller of the command said so. */
  readonly isSandboxed: boolean;
  readonly env: Environment;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Milliseconds until the browser must have started, and until it must have ended. */
const START_MS = 20_000;
const END_MS = 3_000;
/** Milliseconds for one call. */
const CALL_MS = 30_000;
/** Bytes of one message. A page decides how long its texts are; longer messages are skipped as they arrive. */
const MESSAGE_MAX = 2_000_000;
/** Characters at the beginning and at the end of a skipped message that are read. */
const ENDS_MAX = 200;
/** Characters of the browser's own log, for the reason why it ended. */
const LOG_MAX = 4_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const FLAGS = [
  '--headless=new',
  '--remote-debugging-pipe',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-gpu',
  '--disable-sync',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-breakpad',
  '--disable-dev-shm-usage', // containers have 64 MB of it
  '--password-store=basic',
  '--use-mock-keychain',
  '--mute-audio',
  '--window-size=1280,900',
  // What a page could do besides being a page.
  '--block-new-web-contents',
  '--deny-permission-prompts',
  '--disable-quic',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
];
/** The headless shell is the same engine with less around it: first. */
const COMMANDS = [
  'chrome-headless-shell',
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
];
const VARIABLES = ['CHROMIUM_BIN', 'CHROME_PATH', 'CHROME_BIN'];
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

/**
 * Finds an installed Chromium: named by an environment variable, downloaded by Playwright, or the system's. Nothing in the
 * current folder is found or executed: it may be a stranger's clone, and npx puts its `node_modules/.bin` on the PATH.
 */
export function findBrowser(env: Environment): string | undefined {
  const named = VARIABLES.map((name) => env[name]).find(Boolean);
  if (named) return named;
  const programs = env['PROGRAMFILES'] ?? 'C:\\Program Files';
  const candidates = [
    ...playwrightDownloads(env),
    ...foldersOf(env).flatMap((folder) => COMMANDS.map((command) => join(folder, command))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    join(programs, 'Google/Chrome/Application/chrome.exe'),
    join(programs, 'Microsoft/Edge/Application/msedge.exe'),
  ];
  return candidates.find(isExecutable);
}

/** The browsers that Playwright has downloaded, the newest first. Playwright itself is not loaded. */
function playwrightDownloads(env: Environment): string[] {
  const cache = { darwin: 'Library/Caches', win32: 'AppData/Local' }[process.platform as string] ?? '.cache';
  const folder = env['PLAYWRIGHT_BROWSERS_PATH'] ?? join(homedir(), cache, 'ms-playwright');
  if (!isAbsolute(folder)) return [];
  const revision = (name: string): number => Number(name.split('-').at(-1));
  const isShell = (name: string): boolean => name.includes('shell');
  const builds = list(folder)
    .filter((name) => /^chromium(_headless_shell)?-\d+$/.test(name))
    .toSorted((a, b) => revision(b) - revision(a) || Number(isShell(b)) - Number(isShell(a)));
  const programs = [
    'chrome-headless-shell',
    'chrome-headless-shell.exe',
    'headless_shell',
    'chrome',
    'chrome.exe',
    'Chromium.app/Contents/MacOS/Chromium',
    'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
  ];
  return builds.flatMap((build) =>
    list(join(folder, build)).flatMap((part) => programs.map((program) => join(folder, build, part, program))),
  );
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The folders of the PATH, without those that belong to the current folder or to a project. */
function foldersOf(env: Environment): string[] {
  const current = process.cwd();
  // Everything is inside the root folder, and a home folder is not a clone.
  const home = relative(current, homedir());
  const isProject = home.startsWith('..') || isAbsolute(home);
  return (env['PATH'] ?? '').split(delimiter).filter((folder) => {
    if (!isAbsolute(folder) || folder.split(/[\\/]/).includes('node_modules')) return false;
    try {
      const path = realpathSync(folder);
      return !isProject || (path !== current && !path.startsWith(current + sep));
    } catch {
      return false;
    }
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, modes.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a browser with an empty profile. Rejects when it ends or does not respond. */
export async function openBrowser(path: string, { proxyPort, isSandboxed, env }: BrowserOptions): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'offerlet-doctor-'));
  const flags = [
    ...FLAGS,
    `--proxy-server=socks5://127.0.0.1:${proxyPort}`,
    '--proxy-bypass-list=<-loopback>', // not even loopback addresses go past the proxy
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1', // and no name is looked up beside it
    ...(isSandboxed ? [] : ['--no-sandbox']),
  ];
  // Chromium opens mail links of a page in another program, found on the PATH, without a prompt.
  const shims = join(profile, 'shims');
  mkdirSync(shims);
  const nothing = ['/bin/false', '/usr/bin/false'].find(isExecutable);
  // A link, because nothing can be executed in some temporary folders.
  if (nothing !== undefined) symlinkSync(nothing, join(shims, 'xdg-open'));
  const passed = PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const places = Object.fromEntries(['HOME', 'USERPROFILE', 'TMPDIR', 'TEMP', 'TMP'].map((name) => [name, profile]));
  // Relative to the current folder, as it was typed. A name alone is looked for on the PATH.
  const child = spawn(
    /[\\/]/.test(path) ? resolve(path) : path,
    [...flags, `--user-data-dir=${profile}`, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      // The browser must not get keys from the environment, and its remains are deleted with the profile.
      env: {
        ...(Object.fromEntries(passed) as Record<string, string>),
        ...places,
        PATH: [shims, ...foldersOf(env)].join(delimiter),
      },
      cwd: profile,
      detached: process.platform !== 'win32', // so that its processes can be ended together
    },
  );
  const log = tailOf(child.stdio[2] as Readable);
  const exited = new Promise<string>((done) => {
    child.once('exit', () => setTimeout(() => done(reasonIn(log())), 50));
    child.once('error', ({ message }) => done(`${message}.`));
  });
  const { send, onEvent } = connect(child, exited);
  /** Ctrl-C, a CI job that is cancelled, or a terminal that is closed leaves neither a process nor a profile. */
  let isAbandoned = false;
  const abandon = (signal: NodeJS.Signals): void => {
    const end = (): void => process.exit(signal === 'SIGINT' ? EXIT.interrupted : 128 + constants.signals[signal]);
    // Who presses Ctrl-C again does not wait, and still leaves nothing.
    if (isAbandoned) {
      stop();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
      return end();
    }
    isAbandoned = true;
    void close().then(end);
  };
  for (const signal of SIGNALS) process.on(signal, abandon);

  function stop(): void {
    try {
      if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // It has ended.
    }
  }

  async function close(): Promise<void> {
    send('Browser.close').catch(() => undefined);
    const timer = setTimeout(stop, END_MS);
    await exited;
    clearTimeout(timer);
    stop(); // what it has left running
    for (const signal of SIGNALS) process.off(signal, abandon);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  try {
    const version = own(await send('Browser.getVersion', {}, { ms: START_MS }), 'product');
    await send('Browser.setDownloadBehavior', { behavior: 'deny' });
    return { version: String(version), send, onEvent, close };
  } catch (error) {
    stop();
    await close();
    throw error;
  }
}

/** Reads a stream and keeps its end. */
function tailOf(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => (text = (text + chunk).slice(-LOG_MAX)));
  stream.on('error', () => undefined);
  return () => text;
}

/** Why a browser ended, in a sentence. */
function reasonIn(log: string): string {
  if (/no usable sandbox|without --no-sandbox|sandbox.*(namespace|setuid|operation not permitted)/is.test(log))
    return 'it has no sandbox here. Run as a user who may create namespaces, or add --no-sandbox if you trust the page.';
  const last = log.trim().split('\n').at(-1) ?? '';
  return last === '' ? 'the browser has ended.' : `the browser has ended (${last.slice(0, 300)}).`;
}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Speaks the DevTools protocol: JSON messages that end with a NUL, on two pipes. */
function connect(child: ChildProcess, exited: Promise<string>): Pick<Browser, 'send' | 'onEvent'> {
  const calls = new Map<number, Call>();
  const listeners = new Set<(event: BrowserEvent) => void>();
  const writable = child.stdio[3] as Writable;
  let ended: string | undefined;
  let lastId = 0;

  void exited.then((reason) => {
    ended = reason;
    for (const call of calls.values()) call.reject(new Error(reason));
  });
  writable.on('error', () => undefined); // it ends with the browser, which `exited` reports
  readMessages(child.stdio[4] as Readable, {
    onMessage: (text) => receive(parseJson(text)),
    onSkipped(start, end) {
      const [, id] = /^\{"id":(\d+),/.exec(start) ?? [];
      if (id !== undefined) return calls.get(Number(id))?.reject(new Error('The response of the browser is too long.'));
      const [, method = ''] = /^\{"method":"([\w.]+)"/.exec(start) ?? [];
      const [, session] = /"sessionId":"(\w+)"\}$/.exec(end) ?? [];
      for (const listener of listeners) listener({ method, params: undefined, session, isSkipped: true });
    },
  });

  function receive(message: unknown): void {
    if (!isObject(message)) return;
    const { id, method, error, result, params, sessionId } = message;
    if (typeof method === 'string')
      for (const listener of listeners) listener({ method, params, session: sessionId, isSkipped: false });
    const call = typeof id === 'number' ? calls.get(id) : undefined;
    if (!call) return;
    if (error) call.reject(new Error(String(own(error, 'message'))));
    else call.resolve(result);
  }

  return {
    onEvent: (listener) => void listeners.add(listener),
    send(method, params = {}, { session, ms = CALL_MS } = {}) {
      const id = ++lastId;
      return new Promise<unknown>((resolve, reject) => {
        if (ended !== undefined) return reject(new Error(ended));
        const timer = setTimeout(
          () => calls.get(id)?.reject(new Error(`The browser did not respond to ${method}.`)),
          ms,
        );
        const settle = (): void => {
          clearTimeout(timer);
          calls.delete(id);
        };
        calls.set(id, {
          resolve: (result) => (settle(), resolve(result)),
          reject: (error) => (settle(), reject(error)),
        });
        writable.write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
      });
    },
  };
}

/** Splits a stream at NUL bytes. A message that is too long is cut in the middle. */
export function readMessages(
  stream: Readable,
  { onMessage, onSkipped }: { onMessage(text: string): void; onSkipped(start: string, end: string): void },
): void {
  let parts: Buffer[] = [];
  let size = 0;
  let start = '';
  let end = '';
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    for (let at = 0; ;) {
      const stop = chunk.indexOf(0, at);
      const part = chunk.subarray(at, stop < 0 ? undefined : stop);
      size += part.length;
      if (start.length < ENDS_MAX) start += part.toString('latin1', 0, ENDS_MAX);
      if (size <= MESSAGE_MAX) parts.push(part);
      else {
        parts = [];
        end = (end + part.toString('latin1', Math.max(0, part.length - ENDS_MAX))).slice(-ENDS_MAX);
      }
      if (stop < 0) return;
      if (size <= MESSAGE_MAX) onMessage(Buffer.concat(parts).toString());
      else onSkipped(start, end);
      [parts, size, start, end] = [[], 0, '', ''];
      at = stop + 1;
    }
  });
}
