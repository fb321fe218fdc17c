// A Chromium without automation, which would keep every tab visible and disable prerendering and the back/forward cache.
// Its pages act and report by themselves; from outside, tabs are only opened and brought to the front.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { find } from '../../browsers.mjs';
import { CHROMIUM_FLAGS } from '../../playwright.config.ts';

export interface FreeChromium {
  /** Opens a tab in front of the others. Resolves to its id. */
  open(url: string): Promise<string>;
  /** Brings a tab to the front. */
  show(tab: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Chromium with an empty profile. */
export async function startFreeChromium(): Promise<FreeChromium> {
  const profile = mkdtempSync(join(tmpdir(), 'offerlet-free-'));
  const child = spawn(
    find('chromium')?.path ?? chromium.executablePath(),
    ['--headless', ...CHROMIUM_FLAGS, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const port = await new Promise<string>((found, failed) => {
    let text = '';
    child.once('error', failed);
    child.stderr.on('data', (part) => {
      text += String(part);
      const match = /listening on ws:\/\/[^:]+:(\d+)/.exec(text);
      if (match?.[1]) found(match[1]);
    });
  });
  const ask = (path: string, method = 'GET'): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/json/${path}`, { method });
  return {
    async open(url) {
      const { id } = (await (await ask(`new?${url}`, 'PUT')).json()) as { id: string };
      return id;
    },
    async show(tab) {
      await ask(`activate/${tab}`);
    },
    async stop() {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
      await exited;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
