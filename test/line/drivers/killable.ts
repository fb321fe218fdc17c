// A Chromium on a profile that outlives it, which a test may kill at any moment.
import { spawn } from 'node:child_process';
import { chromium, type Browser, type BrowserContext } from '@playwright/test';
import { find } from '../../browsers.mjs';
import { CHROMIUM_FLAGS } from '../../playwright.config.ts';

/** A browser that can be killed with SIGKILL to all of its processes. */
export interface Killable {
  browser: Browser;
  context: BrowserContext;
  kill(): Promise<void>;
}

/** Starts Chromium on the profile directory. */
export async function startKillable(profile: string): Promise<Killable> {
  const child = spawn(
    find('chromium')?.path ?? chromium.executablePath(),
    ['--headless', ...CHROMIUM_FLAGS, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const address = await new Promise<string>((found, failed) => {
    let text = '';
    child.once('error', failed);
    child.stderr.on('data', (part) => {
      text += String(part);
      const match = /listening on (ws:\S+)/.exec(text);
      if (match?.[1]) found(match[1]);
    });
  });
  const browser = await chromium.connectOverCDP(address);
  const [context] = browser.contexts();
  if (!context || !child.pid) throw new Error('Chromium has no window');
  const group = -child.pid;
  return {
    browser,
    context,
    async kill() {
      try {
        process.kill(group, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
      await exited;
      await browser.close().catch(() => undefined);
    },
  };
}
