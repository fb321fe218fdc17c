import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildNetwork } from './buildNetwork.ts';

/** Number of kills: 20 in the long run, a few otherwise. */
const KILLS = process.env['OFFERLET_TEST_POSTGRES'] === '1' ? 20 : 3;

let module: string;
let data: string;
beforeAll(async () => {
  module = await buildNetwork('kill');
  data = mkdtempSync(join(tmpdir(), 'offerlet-kill-'));
});
afterAll(() => {
  rmSync(data, { recursive: true, force: true });
  rmSync(new URL('..', module), { recursive: true, force: true });
});

interface Life {
  readonly present: readonly string[];
  readonly loads: number;
  readonly acknowledged: readonly string[];
}

/** Runs a writer until it has acknowledged something and a moment has passed, then kills it without warning. */
async function live(rounds?: number): Promise<Life> {
  const options = JSON.stringify({ data, ...(rounds === undefined ? {} : { rounds }) });
  const writer = spawn(process.execPath, [join(import.meta.dirname, 'writer.mjs'), module, options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const life: { present: string[]; loads: number; acknowledged: string[] } = {
    present: [],
    loads: 0,
    acknowledged: [],
  };
  let errors = '';
  writer.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<void>((resolve) => writer.once('close', () => resolve()));
  let isDoomed = false;
  for await (const line of createInterface({ input: writer.stdout })) {
    const said = JSON.parse(line) as Partial<Life>;
    if (said.present) life.present.push(...said.present);
    if (said.loads) life.loads = said.loads;
    if (!said.acknowledged) continue;
    life.acknowledged.push(...said.acknowledged);
    if (!isDoomed) void killSoon(writer);
    isDoomed = true;
  }
  await ended;
  if (life.present.length === 0 && life.acknowledged.length === 0 && errors) throw new Error(errors);
  return life;
}

async function killSoon(writer: ChildProcess): Promise<void> {
  await pause(Math.random() * 200);
  writer.kill('SIGKILL');
}

test('E5 acknowledged events survive kill -9 and are counted', async () => {
  const acknowledged = new Set<string>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    const life = await live();
    expect([...acknowledged].filter((id) => !life.present.includes(id))).toEqual([]);
    for (const id of life.acknowledged) acknowledged.add(id);
  }
  const last = await live(0);
  expect(acknowledged.size).toBeGreaterThanOrEqual(KILLS * 3);
  expect([...acknowledged].filter((id) => !last.present.includes(id))).toEqual([]);
  // Events that were committed without a response count as well: facts and events always agree.
  expect(last.loads).toBe(last.present.length);
}, 600_000);
