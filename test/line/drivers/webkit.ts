// The system's WebKit (WebKitGTK's WebKitWebDriver and MiniBrowser) through classic WebDriver, without a client library.
import { spawn, type ChildProcess } from 'node:child_process';
import { expect } from '@playwright/test';
import { freePort } from '../../fixtures/serve.ts';
import { setTimeout as sleep } from 'node:timers/promises';

const KEYS: Readonly<Record<string, string>> = {
  Tab: '\uE004',
  Escape: '\uE00C',
  Enter: '\uE007',
  Shift: '\uE008',
  ArrowLeft: '\uE012',
  ArrowRight: '\uE014',
  Space: ' ',
};

/** Milliseconds in which a browser starts, even on a busy machine. */
const START_MS = 15_000;

/** One WebKitWebDriver and, where there is no display, one Xvfb. */
export class WebKit {
  readonly #driver: string;
  #started: ChildProcess[] = [];
  #base = '';
  #session = '';

  constructor(driver: string) {
    this.#driver = driver;
  }

  async start(): Promise<void> {
    const env: NodeJS.ProcessEnv = { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1', NO_AT_BRIDGE: '1' };
    if (!env.DISPLAY && !env.WAYLAND_DISPLAY) env.DISPLAY = await this.#startDisplay();
    const port = await freePort();
    const driver = spawn(this.#driver, ['-p', String(port), '--host=127.0.0.1'], { stdio: 'ignore', env });
    this.#started.unshift(driver);
    this.#base = `http://127.0.0.1:${port}`;
    const responds = () => fetch(`${this.#base}/status`).then(Boolean, () => false);
    while (!(await responds())) {
      if (driver.exitCode !== null) throw new Error(`${this.#driver} ended with ${driver.exitCode}`);
      await sleep(25);
    }
  }

  #startDisplay(): Promise<string> {
    const display = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    this.#started.push(display);
    return new Promise((found, failed) => {
      display.on('error', failed);
      display.stdio[3]?.once('data', (number) => found(`:${String(number).trim()}`));
    });
  }

  async #call(method: string, path: string, body?: unknown, signal: AbortSignal | null = null): Promise<unknown> {
    const response = await fetch(this.#base + path, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    });
    const { value } = (await response.json()) as { value: { error?: string; message?: string } };
    if (!response.ok) throw new Error(`WebDriver ${value?.error}: ${value?.message}`);
    return value;
  }

  #on(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.#call(method, `/session/${this.#session}${path}`, body);
  }

  /**
   * One session is one MiniBrowser with its own empty profile. The driver allows one at a time. Once in a few hundred times it
   * waits for its browser for ever: then another driver starts another.
   */
  async open(): Promise<void> {
    const start = { capabilities: { alwaysMatch: {} } };
    for (let tries = 1; ; tries++) {
      try {
        const session = await this.#call('POST', '/session', start, AbortSignal.timeout(START_MS));
        this.#session = (session as { sessionId: string }).sessionId;
        return;
      } catch (error) {
        if ((error as Error).name !== 'TimeoutError' || tries === 3) throw error;
        await this.stop();
        await this.start();
      }
    }
  }

  async close(): Promise<void> {
    if (this.#session) await this.#on('DELETE', '');
    this.#session = '';
  }

  async stop(): Promise<void> {
    await this.close().catch(() => undefined);
    for (const child of this.#started.splice(0)) child.kill();
  }

  async goto(url: string): Promise<void> {
    await this.#on('POST', '/url', { url });
  }

  async back(): Promise<void> {
    await this.#on('POST', '/back', {});
  }

  /** Runs a function in the page. It is sent as text, so it may only use its argument. */
  async eval<T>(work: ((argument: never) => T | Promise<T>) | string, argument: unknown = null): Promise<T> {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve().then(() => (${String(work)})(arguments[0])).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
    const { value, error } = (await this.#on('POST', '/execute/async', { script, args: [argument] })) as {
      value: T;
      error?: string;
    };
    if (error) throw new Error(error);
    return value;
  }

  /** Clicks the centre of an element with a real pointer; `host >>> inner` enters an open shadow root. */
  async click(selector: string): Promise<void> {
    const { x, y } = await this.#at(selector);
    await this.#on('POST', '/actions', {
      actions: [
        {
          type: 'pointer',
          id: 'mouse',
          parameters: { pointerType: 'mouse' },
          actions: [
            { type: 'pointerMove', duration: 0, x, y, origin: 'viewport' },
            { type: 'pointerDown', button: 0 },
            { type: 'pointerUp', button: 0 },
          ],
        },
      ],
    });
  }

  /** Presses a key; `Shift+Tab` holds the first while it presses the second. */
  async key(key: string): Promise<void> {
    const keys = key.split('+').map((name) => KEYS[name] ?? name);
    const down = keys.map((value) => ({ type: 'keyDown', value }));
    const up = keys.toReversed().map((value) => ({ type: 'keyUp', value }));
    await this.#on('POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions: [...down, ...up] }] });
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from((await this.#on('GET', '/screenshot')) as string, 'base64');
  }

  async #at(selector: string): Promise<{ x: number; y: number }> {
    const find = `(selector) => {
      let node = document;
      for (const part of selector.split(' >>> ')) { node = (node.shadowRoot ?? node).querySelector(part); if (!node) return null; }
      node.scrollIntoView({ block: 'nearest' });
      const box = node.getBoundingClientRect();
      const [x, y] = [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
      return box.width && x < innerWidth && y < innerHeight ? { x, y } : null;
    }`;
    let point: { x: number; y: number } | null = null;
    // What slides in is clicked once it has arrived.
    const isStill = async (): Promise<boolean> => {
      const before = point;
      point = await this.eval(find, selector);
      return point !== null && point.x === before?.x && point.y === before.y;
    };
    await expect.poll(isStill, `${selector} can be clicked`).toBe(true);
    return point ?? { x: 0, y: 0 };
  }
}
