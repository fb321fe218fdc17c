// Processes that are killed once accept() has resolved: the next one delivers what they have left.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { bundle } from '../line/drivers/bundle.ts';
import { startFixture } from '../line/page/pageFixture.ts';
import { ofTest } from '../fixtures/opened.ts';

const directory = mkdtempSync(join(tmpdir(), 'offerlet-session-'));
const script = join(directory, 'session.mjs');
const children: ChildProcess[] = [];
const fixture = ofTest(() => startFixture());

beforeAll(async () => {
  writeFileSync(script, await bundle(fileURLToPath(new URL('../../src/session.ts', import.meta.url)), 'es'));
});
afterEach(() => Promise.all(children.splice(0).map(kill)));
afterAll(() => rmSync(directory, { recursive: true }));

/** Starts a process on a device's files. Resolves once it has accepted an offer. */
async function accept(device: string): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('killedProcess.mjs', import.meta.url));
  const args = [program, pathToFileURL(script).href, `${fixture.url}/offers`, join(directory, device)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout ?? child, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.kill('SIGKILL')) await once(child, 'exit');
}

/** The ids that the relay accepted, and all that were sent to it. */
function serve(): { accepted: Set<string>; sent: string[]; isDown: boolean } {
  const state = { accepted: new Set<string>(), sent: [] as string[], isDown: true };
  fixture.accept = ({ body }, response) => {
    const ids = (body.events as { event_id: string; event_name: string }[]).map(
      ({ event_id, event_name }) => `${event_name} ${event_id}`,
    );
    state.sent.push(...ids);
    if (!state.isDown) for (const id of ids) state.accepted.add(id);
    response.writeHead(state.isDown ? 503 : 202).end();
  };
  return state;
}

const clicks = (ids: Iterable<string>): number => [...ids].filter((id) => id.startsWith('BRAND_CLICK')).length;

test('a click of a process that was killed is delivered by the next, once', async () => {
  const state = serve();
  await kill(await accept('one'));
  state.isDown = false;
  await accept('one');
  await vi.waitFor(() => expect([clicks(state.accepted), state.accepted.size]).toEqual([2, 8]));
});

test('two processes at once on the same files, killed at once: nothing is lost', async () => {
  const state = serve();
  for (let round = 0; round < 3; round++) {
    const pair = await Promise.all([accept('two'), accept('two')]);
    await Promise.all(pair.map(kill));
  }
  state.isDown = false;
  await accept('two');
  await vi.waitFor(() => expect([clicks(state.accepted), state.accepted.size]).toEqual([7, 28]));
});

test('nothing personal is in the files', async () => {
  serve();
  await kill(await accept('three'));
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const text = files
    .filter(({ name }) => name !== 'session.mjs')
    .map(({ parentPath, name }) => name + readFileSync(join(parentPath, name), 'utf8'))
    .join('\n');
  expect(text).toContain('BRAND_CLICK');
  expect(text).not.toContain('aaaaaaaa');
});
