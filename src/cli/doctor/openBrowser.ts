import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { isObject, own, parseJson } from '../../wire/json.ts';
import { EXIT } from '../ExitError.ts';

/** A message of the DevTools protocol that is not a response. */
export interface BrowserEvent {
  readonly method: string;
  readonly params: unknown;
}

/** A running browser, driven over a pipe: no port, and no package. */
export interface Browser {
  /** Such as `Chrome/156.0.8078.79`. */
  readonly version: string;
  /** Calls a method of the DevTools protocol; in a page when there is a session. */
  send(method: string, params?: object, sessionId?: string): Promise<unknown>;
  onEvent(listener: (event: BrowserEvent) => void): void;
  /** Ends the browser and removes its profile. */
  close(): Promise<void>;
}

/** Milliseconds until the browser must have started, and until it must have ended. */
const START_MS = 20_000;
const END_MS = 3_000;
/** Milliseconds for one call. */
const CALL_MS = 30_000;
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
  '--mute-audio',
  '--window-size=1280,900',
];

/** Starts a browser with an empty profile. Rejects when it ends or does not respond. */
export async function openBrowser(path: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'offerlet-doctor-'));
  // Chromium refuses to run its sandbox as root, which is who runs in most CI containers.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const child = spawn(path, [...FLAGS, ...asRoot, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const { send, onEvent } = connect(child, exited);
  const stop = (): boolean => child.kill('SIGKILL');
  /** Ctrl-C, a CI job that is cancelled, or a terminal that is closed leaves neither a process nor a profile. */
  const abandon = (signal: NodeJS.Signals): void => {
    void close().then(() => process.exit(signal === 'SIGINT' ? EXIT.interrupted : 128 + constants.signals[signal]));
  };
  for (const signal of SIGNALS) process.once(signal, abandon);

  async function close(): Promise<void> {
    send('Browser.close').catch(() => undefined);
    const timer = setTimeout(stop, END_MS);
    await exited;
    clearTimeout(timer);
    for (const signal of SIGNALS) process.off(signal, abandon);
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  try {
    const version = own(await send('Browser.getVersion', {}, undefined, START_MS), 'product');
    return { version: String(version), send, onEvent, close };
  } catch (error) {
    stop();
    await close();
    throw error;
  }
}

interface Connection {
  send(method: string, params?: object, sessionId?: string, ms?: number): Promise<unknown>;
  onEvent(listener: (event: BrowserEvent) => void): void;
}

interface Call {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Speaks the DevTools protocol: JSON messages that end with a NUL, on two pipes. */
function connect(child: ChildProcess, exited: Promise<void>): Connection {
  const calls = new Map<number, Call>();
  const listeners = new Set<(event: BrowserEvent) => void>();
  const writable = child.stdio[3] as Writable;
  const readable = child.stdio[4] as Readable;
  let isOpen = true;
  let lastId = 0;
  let text = '';

  void exited.then(() => {
    isOpen = false;
    for (const call of calls.values()) call.reject(new Error('The browser has ended.'));
  });
  writable.on('error', () => undefined); // it ends with the browser, which `exited` reports
  readable.setEncoding('utf8');
  readable.on('data', (chunk: string) => {
    const messages = (text + chunk).split('\0');
    text = messages.pop() ?? '';
    for (const message of messages) receive(parseJson(message));
  });

  function receive(message: unknown): void {
    if (!isObject(message)) return;
    const { id, method, error, result, params } = message;
    if (typeof method === 'string') for (const listener of listeners) listener({ method, params });
    const call = typeof id === 'number' ? calls.get(id) : undefined;
    if (!call) return;
    if (error) call.reject(new Error(String(own(error, 'message'))));
    else call.resolve(result);
  }

  return {
    onEvent: (listener) => void listeners.add(listener),
    send(method, params = {}, sessionId, ms = CALL_MS) {
      const id = ++lastId;
      return new Promise<unknown>((resolve, reject) => {
        if (!isOpen) return reject(new Error('The browser has ended.'));
        const timer = setTimeout(() => reject(new Error(`The browser did not respond to ${method}.`)), ms);
        const settle = (): void => {
          clearTimeout(timer);
          calls.delete(id);
        };
        calls.set(id, {
          resolve: (result) => (settle(), resolve(result)),
          reject: (error) => (settle(), reject(error)),
        });
        writable.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
      });
    },
  };
}
