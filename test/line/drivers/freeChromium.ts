// A Chromium without automation, which would keep every tab visible and disable prerendering and the back/forward cache.
// Its pages act and report by themselves; from outside, tabs are only opened and brought to the front.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnChromium } from './spawnChromium.ts';

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
  const clear = (): void => rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  const { address, kill } = await spawnChromium(profile);
  process.once('exit', clear);
  const { port } = new URL(address);
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
      await kill();
      clear();
      process.off('exit', clear);
    },
  };
}
