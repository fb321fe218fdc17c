import fs from 'node:fs';
import path from 'node:path';
import type { Process } from './world.ts';

/** The `process` of Node's that a program sees. */
export interface Node {
  readonly pid: number;
  getBuiltinModule(name: string): unknown;
}

/** Ids of processes, so that a lock file finds out whether its owner lives. */
let pids = 1_000;

/**
 * What a program of Node finds beneath it: a real directory, whose calls end when the world says so. A process that is killed
 * may have written a part of what it was writing; what it had open is closed.
 */
export function nodeOf(process: Process, living: Map<number, Process>): Node {
  const pid = (pids += 1);
  living.set(pid, process);
  const open = new Set<number>();
  process.ends.push(() => open.forEach((fd) => fs.closeSync(fd)));

  function handleOf(fd: number): object {
    open.add(fd);
    const call = <T>(work: () => T): Promise<T> => process.call(work);
    return {
      fd,
      stat: () => call(() => fs.fstatSync(fd)),
      appendFile: (text: string, encoding: BufferEncoding) => append(fd, Buffer.from(text, encoding)),
      write: (text: string, position: number) => call(() => fs.writeSync(fd, text, position)),
      read: (buffer: Buffer, offset: number, length: number, position: number | null) =>
        call(() => ({ buffer, bytesRead: fs.readSync(fd, buffer, offset, length, position) })),
      truncate: (length: number) => call(() => fs.ftruncateSync(fd, length)),
      sync: () => call(() => undefined),
      datasync: () => call(() => undefined),
      close: () =>
        call(() => {
          if (open.delete(fd)) fs.closeSync(fd);
        }),
    };
  }

  /** A write of several pieces, between which the process may die. */
  async function append(fd: number, bytes: Buffer): Promise<void> {
    const cut = process.world.chance(0.2) ? Math.floor(bytes.length * process.world.random()) : bytes.length;
    for (const part of [bytes.subarray(0, cut), bytes.subarray(cut)])
      if (part.length > 0) await process.call(() => void fs.writeSync(fd, part));
  }

  async function* read(file: string, { fd }: { fd?: number }): AsyncGenerator<string> {
    // Its lines are read at once: no file here is longer than a chunk.
    yield await process.call(() => {
      const bytes = fd === undefined ? fs.readFileSync(file) : Buffer.alloc(fs.fstatSync(fd).size);
      if (fd !== undefined) fs.readSync(fd, bytes, 0, bytes.length, 0);
      return bytes.toString('latin1');
    });
  }

  async function writeFile(file: string, data: string | Iterable<string>, options: fs.WriteFileOptions): Promise<void> {
    if (typeof data === 'string') return process.call(() => fs.writeFileSync(file, data, options));
    const { flag = 'w', mode } = options as { flag?: string; mode?: number };
    const fd = await process.call(() => fs.openSync(file, flag, mode));
    open.add(fd);
    for (const part of data) await append(fd, Buffer.from(part, 'latin1'));
    open.delete(fd);
    await process.call(() => fs.closeSync(fd));
  }

  const promises = new Proxy(
    {
      writeFile,
      open: (...given: Parameters<typeof fs.openSync>) => process.call(() => handleOf(fs.openSync(...given))),
    },
    {
      get: (own, name) =>
        name in own
          ? own[name as keyof typeof own]
          : (...given: unknown[]) => process.call(() => (fs[`${String(name)}Sync` as 'rmSync'] as Function)(...given)),
    },
  );
  const now = {
    ...Object.fromEntries(
      ['readdirSync', 'renameSync', 'statSync', 'rmSync', 'writeFileSync', 'existsSync', 'mkdirSync'].map((name) => [
        name,
        (...given: unknown[]): unknown => process.touch(() => (fs[name as 'rmSync'] as Function)(...given)),
      ]),
    ),
    constants: fs.constants,
    readlinkSync: () => 'pid:[1]',
    readFileSync(file: string, ...given: never[]) {
      if (!file.startsWith('/proc/')) return process.touch(() => fs.readFileSync(file, ...given));
      const other = Number(/\d+/.exec(file)?.[0]);
      return `${other} (node) ${Array.from({ length: 22 }, () => other).join(' ')}`;
    },
    createReadStream: read,
  };
  const modules: Record<string, unknown> = {
    'node:fs/promises': promises,
    'node:fs': now,
    'node:path': path,
    'node:os': { hostname: () => 'shop' },
  };
  const node = {
    pid,
    platform: 'linux',
    env: {},
    stderr: { write: () => true },
    getBuiltinModule: (name: string) => modules[name],
    kill(other: number) {
      if (!living.get(other)?.isAlive) throw Object.assign(new Error('ESRCH'), { code: 'ESRCH' });
    },
  };
  return node;
}
