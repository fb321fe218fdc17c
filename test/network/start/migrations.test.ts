import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REFERENCE_TABLES, SHARDED_TABLES } from '../../../src/network/database/schema.ts';
import { makeFolder } from '../../fixtures/makeFolder.ts';
import { type Cluster, DATABASE_KINDS, startPostgres } from '../databases.ts';
import { buildNetwork } from './buildNetwork.ts';

/** What a next version may add beside running processes: to each table a column that they do not write. */
const ADDED = [...SHARDED_TABLES, ...REFERENCE_TABLES].map((table) => `ALTER TABLE ${table} ADD COLUMN added text;\n`);

/** Makes of this version's code the next one's, with one migration more. */
const NEXT_VERSION = {
  name: 'next-version',
  enforce: 'pre' as const,
  transform(code: string, id: string) {
    if (!id.endsWith('/database/schema.ts')) return undefined;
    const next = code.replace(/(readonly Migration\[\] = \[[^;]+)\];/, (_, list: string) => {
      return `${list}, { sql: ${JSON.stringify(ADDED.join(''))}, oldest: 1 }];`;
    });
    expect(next).not.toBe(code);
    return next;
  },
};

/** A process that writes events as fast as it can. */
interface Writer {
  /** What it found at its start, and which of its events were accepted. */
  readonly said: { present: string[]; loads: number; accepted: string[]; refused: number };
  readonly ended: Promise<void>;
  kill(): void;
}

function write(module: string, options: object): Writer {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'writer.mjs'), module, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: Writer['said'] = { present: [], loads: 0, accepted: [], refused: 0 };
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { acknowledged, status, ...found } = JSON.parse(line);
    Object.assign(said, found);
    if (acknowledged) said.accepted.push(...acknowledged);
    else if (status !== undefined) said.refused += 1;
  });
  return {
    said,
    ended: new Promise((resolve) => child.once('close', () => resolve())),
    kill: () => void child.kill('SIGKILL'),
  };
}

describe.each(DATABASE_KINDS)('a newer schema on %s', (kind) => {
  let cluster: Cluster | undefined;
  let modules: { old: string; next: string };
  beforeAll(async () => {
    cluster = kind === 'postgres' ? await startPostgres() : undefined;
    modules = { old: await buildNetwork(`old-${kind}`), next: await buildNetwork(`next-${kind}`, [NEXT_VERSION]) };
  });
  afterAll(async () => {
    await cluster?.stop();
    for (const module of Object.values(modules)) rmSync(new URL('..', module), { recursive: true, force: true });
  });

  test('a process one version back goes on beside the one that migrates, and starts again after a rollback', async () => {
    const place = cluster ? { databaseUrl: await cluster.freshUrl() } : { data: makeFolder() };
    // The directory of PGlite has one process at a time.
    const isShared = kind === 'postgres';
    const before = write(modules.old, { ...place, rounds: isShared ? undefined : 3 });
    if (isShared) await expect.poll(() => before.said.accepted.length, { timeout: 60_000 }).toBeGreaterThan(3);
    else await before.ended;
    const next = write(modules.next, { ...place, rounds: 5 });
    await next.ended;
    expect(next.said.accepted).toHaveLength(15);
    const sofar = before.said.accepted.length;
    if (isShared) await expect.poll(() => before.said.accepted.length).toBeGreaterThan(sofar);
    before.kill();
    await before.ended;
    const after = write(modules.old, { ...place, rounds: 0 });
    await after.ended;
    const accepted = [...before.said.accepted, ...next.said.accepted];
    expect(accepted.filter((id) => !after.said.present.includes(id))).toEqual([]);
    expect(after.said.loads).toBe(after.said.present.length);
    expect(before.said.refused + next.said.refused).toBe(0);
  });
});
