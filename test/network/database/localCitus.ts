import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, chownSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openPostgres } from '../../../src/network/database/postgres.ts';
import { freePort } from '../../fixtures/serve.ts';
import { saysReady, serviceAccount } from '../databases.ts';

const run = promisify(execFile);

/** Whether the PostgreSQL of this machine has citus, and the system what stops a server's processes. */
export async function hasLocalCitus(): Promise<boolean> {
  const libraries = await run('pg_config', ['--pkglibdir']).catch(() => undefined);
  return (
    libraries !== undefined && existsSync(join(libraries.stdout.trim(), 'citus.so')) && existsSync('/proc/self/stat')
  );
}

/** A server with citus that a test may kill. */
export interface CitusServer {
  readonly port: number;
  /** The URL of its only database. */
  readonly url: string;
  /** Kills it: nothing is flushed. */
  kill(): Promise<void>;
  /** Starts it again. */
  start(): Promise<void>;
  /** Stops its processes, so that it accepts connections and never replies. */
  freeze(): void;
  thaw(): void;
}

/** Starts servers with citus, each with one database and the extension in it. */
export async function openServers(): Promise<{
  server(): Promise<CitusServer>;
  /** Starts a streaming standby of a server, and makes the server wait for it. */
  standbyOf(primary: CitusServer): Promise<CitusServer>;
  stop(): Promise<void>;
}> {
  const bin = (await run('pg_config', ['--bindir'])).stdout.trim();
  const directory = mkdtempSync(join(tmpdir(), 'offerlet-citus-'));
  const account = process.getuid?.() === 0 ? await serviceAccount() : undefined;
  if (account) chownSync(directory, account.uid, account.gid);
  const as = { ...(account ? { uid: account.uid, gid: account.gid } : {}), cwd: directory };
  const servers: CitusServer[] = [];

  async function serve(data: string): Promise<CitusServer> {
    const port = await freePort();
    let child: ChildProcess | undefined;
    let stopped: number[] = [];
    const settings = {
      port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: directory,
      shared_preload_libraries: 'citus',
      'citus.node_conninfo': 'sslmode=disable',
      'citus.local_hostname': '127.0.0.1',
      fsync: 'off',
      wal_level: 'logical',
      max_connections: 100,
      max_prepared_transactions: 200,
      hot_standby: 'on',
    };
    const server: CitusServer = {
      port,
      url: `postgresql://offerlet@127.0.0.1:${port}/postgres`,
      async start() {
        const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
        const started = spawn(join(bin, 'postgres'), ['-D', data, ...args], {
          ...as,
          stdio: ['ignore', 'ignore', 'pipe'],
        });
        child = started;
        await saysReady(started.stderr);
      },
      async kill() {
        const ended = new Promise((resolve) => child?.once('exit', resolve));
        if (!child || child.exitCode !== null) return;
        child.kill('SIGQUIT');
        await ended;
      },
      freeze() {
        const own = child?.pid;
        if (own === undefined) return;
        stopped = [own, ...childrenOf(own)];
        for (const pid of stopped) process.kill(pid, 'SIGSTOP');
      },
      thaw() {
        for (const pid of stopped) process.kill(pid, 'SIGCONT');
        stopped = [];
      },
    };
    await server.start();
    servers.push(server);
    return server;
  }

  return {
    async server() {
      const data = join(directory, `server-${servers.length}`);
      const options = ['-D', data, '-U', 'offerlet', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
      await run(join(bin, 'initdb'), options, as);
      const server = await serve(data);
      const db = openPostgres(server.url, { connections: 1, statementTimeoutMs: 60_000 });
      await db.exec('CREATE EXTENSION citus');
      await db.close();
      return server;
    },
    async standbyOf(primary) {
      const data = join(directory, `standby-${servers.length}`);
      const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'offerlet'];
      await run(join(bin, 'pg_basebackup'), [...from, '-D', data, '-R', '-c', 'fast', '--no-sync'], as);
      const standby = await serve(data);
      const db = openPostgres(primary.url, { connections: 1 });
      await db.exec("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await db.query('SELECT pg_reload_conf()');
      const isSynchronous = async (): Promise<boolean> =>
        (await db.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length > 0;
      while (!(await isSynchronous())) await new Promise((resolve) => setTimeout(resolve, 100));
      await db.close();
      return standby;
    },
    async stop() {
      for (const server of servers) server.thaw();
      for (const server of servers) await server.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false; // it has ended
      }
    });
}
