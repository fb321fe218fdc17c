import { spawn } from 'node:child_process';
import { chromium } from '@playwright/test';
import { find } from '../../browsers.mjs';
import { CHROMIUM_FLAGS } from '../../playwright.config.ts';

export interface SpawnedChromium {
  /** Where its DevTools listen. */
  readonly address: string;
  /** Kills all of its processes, which this one's exit does as well. */
  kill(): Promise<void>;
}

/** Starts a separate Chromium on the profile directory. */
export async function spawnChromium(profile: string): Promise<SpawnedChromium> {
  const child = spawn(
    find('chromium')?.path ?? chromium.executablePath(),
    ['--headless', ...CHROMIUM_FLAGS, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  const killAll = (): void => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  process.once('exit', killAll);
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
  return {
    address,
    async kill() {
      killAll();
      process.off('exit', killAll);
      await exited;
    },
  };
}
