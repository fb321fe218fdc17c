import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '../../src/network/database/database.ts';
import { createSchema, REFERENCE_TABLES, SHARDED_TABLES } from '../../src/network/database/schema.ts';
import { openPglite } from '../../src/network/database/pglite.ts';
import { openPostgres } from '../../src/network/database/postgres.ts';

const run = promisify(execFile);

/** The nodes of the cluster that `npm run test:citus` was given, the coordinator first. */
export const CITUS_NODES: readonly string[] = (process.env['OFFERLET_TEST_CITUS'] ?? '').split(' ').filter(Boolean);

/** The databases that the suites run on: PGlite, and PostgreSQL as well where OFFERLET_TEST_POSTGRES=1; with a cluster, that alone. */
export const DATABASE_KINDS: readonly ('pglite' | 'postgres')[] = [
  ...(CITUS_NODES.length > 0 ? [] : (['pglite'] as const)),
  ...(process.env['OFFERLET_TEST_POSTGRES'] === '1' ? (['postgres'] as const) : []),
];

/** A temporary PostgreSQL server on this machine. */
export interface Cluster {
  /** The URL of a new, empty database. */
  freshUrl(): Promise<string>;
  /** Stops the server and deletes its files, unless it is stopped. */
  stop(): Promise<void>;
}

/** Embedded databases that tests of this process have closed, for the next: starting one takes seconds. */
const closed: Database[] = [];

/** Opens an empty database with its schema. Closing it also stops its server. */
export async function openTestDatabase(
  kind: 'pglite' | 'postgres',
): Promise<{ db: Database; url?: string; close(): Promise<void> }> {
  if (kind === 'pglite') {
    const db = closed.pop() ?? (await openPglite());
    if (!(await createSchema(db))) await db.exec(`TRUNCATE ${[...SHARDED_TABLES, ...REFERENCE_TABLES].join(', ')}`);
    return { db, close: async () => void closed.push(db) };
  }
  const cluster = await startPostgres();
  const url = await cluster.freshUrl();
  const db = openPostgres(url);
  await createSchema(db);
  return {
    db,
    url,
    async close() {
      await db.close();
      await cluster.stop();
    },
  };
}

/**
 * Starts a temporary PostgreSQL server on its own socket; uses the citus cluster instead if there is one. For root, it runs
 * as the user `postgres` or `nobody`.
 */
export async function startPostgres(): Promise<Cluster> {
  if (CITUS_NODES.length > 0) return openCitus(CITUS_NODES);
  const bin = await postgresBinaries();
  const directory = mkdtempSync(join(tmpdir(), 'offerlet-postgres-'));
  const account = process.getuid?.() === 0 ? await serviceAccount() : undefined;
  if (account) chownSync(directory, account.uid, account.gid);
  const as = account ? { uid: account.uid, gid: account.gid } : {};
  const cluster = join(directory, 'cluster');
  await run(
    join(bin, 'initdb'),
    ['-D', cluster, '-U', 'offerlet', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...as, cwd: directory },
  );
  const options = [
    '-D',
    cluster,
    '-k',
    directory,
    '-c',
    'listen_addresses=',
    '-c',
    'fsync=off',
    '-c',
    'max_connections=60',
  ];
  const server = spawn(join(bin, 'postgres'), options, { ...as, cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
  await saysReady(server.stderr);
  let databases = 0;
  const address = (name: string): string =>
    `postgresql://offerlet@localhost/${name}?host=${encodeURIComponent(directory)}`;
  return {
    async freshUrl() {
      databases += 1;
      const admin = openPostgres(address('postgres'), { connections: 1 });
      await admin.exec(`CREATE DATABASE test_${databases}`);
      await admin.close();
      return address(`test_${databases}`);
    },
    async stop() {
      if (server.exitCode !== null) return;
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Shards per table of a test's database: 32 by default, each of which takes its share of every CREATE and TRUNCATE. */
const SHARDS = 4;

/** Databases on a citus cluster: one on each node, which all know each other. */
export interface CitusCluster extends Cluster {
  /** The URL of a new, empty database on the coordinator and the first so many workers; by default on all. */
  freshUrl(workers?: number): Promise<string>;
}

/** Uses the nodes at these URLs, the coordinator first. */
export function openCitus([coordinator = '', ...all]: readonly string[], shards = SHARDS): CitusCluster {
  const names: string[] = [];
  const onEach = async (sql: string, workers: readonly string[], database = 'postgres'): Promise<void> => {
    await Promise.all(
      [coordinator, ...workers].map(async (node) => {
        const db = openPostgres(nodeUrl(node, database), { connections: 1, statementTimeoutMs: 60_000 });
        await db.exec(sql);
        await db.close();
      }),
    );
  };
  return {
    async freshUrl(count = all.length) {
      const workers = all.slice(0, count);
      const name = `offerlet_test_${randomUUID().slice(0, 8)}`;
      names.push(name);
      await onEach(`CREATE DATABASE ${name}`, workers);
      await onEach(`ALTER DATABASE ${name} SET citus.shard_count = ${shards}`, workers);
      await onEach('CREATE EXTENSION citus', workers, name);
      const db = openPostgres(nodeUrl(coordinator, name), { connections: 1 });
      const { hostname, port } = new URL(coordinator);
      await db.query('SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port || 5432)]);
      for (const worker of workers.map((url) => new URL(url)))
        await db.query('SELECT citus_add_node($1, $2)', [worker.hostname, Number(worker.port || 5432)]);
      await db.close();
      return nodeUrl(coordinator, name);
    },
    async stop() {
      for (const name of names) await onEach(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, all);
    },
  };
}

/** The URL of a database on a node. */
export function nodeUrl(node: string, database: string): string {
  const url = new URL(node);
  url.pathname = `/${database}`;
  return url.href;
}

async function postgresBinaries(): Promise<string> {
  const { stdout } = await run('sh', [
    '-c',
    'ls -d /usr/lib/postgresql/*/bin /usr/local/opt/postgresql*/bin /opt/homebrew/opt/postgresql*/bin 2>/dev/null; dirname "$(command -v initdb)" 2>/dev/null || true',
  ]);
  const [first] = stdout
    .split('\n')
    .filter((line) => line.startsWith('/'))
    .toReversed();
  if (!first) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  return first;
}

/** The account that servers run as where this is root, which they refuse. */
export async function serviceAccount(): Promise<{ uid: number; gid: number }> {
  const { stdout } = await run('sh', ['-c', 'getent passwd postgres || getent passwd nobody']);
  const [, , uid, gid] = stdout.trim().split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** Resolves when a server says on this stream that it accepts connections. */
export function saysReady(log: NodeJS.ReadableStream): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    log.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-20_000);
      if (/ready to accept (?:read-only )?connections/.test(text)) resolve();
    });
    log.once('end', () => reject(new Error(`PostgreSQL did not start: ${text}`)));
  });
}
