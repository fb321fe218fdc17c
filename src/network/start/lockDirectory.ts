import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NetworkStartError } from './networkStartError.ts';

const LOCK_FILE = 'offerlet.lock';

/**
 * Takes a data directory for this process: the embedded database does not lock it itself, and two writers would destroy it.
 * Answers what gives it back. A lock whose process is gone is taken over.
 */
export function lockDirectory(directory: string): () => void {
  const lock = join(directory, LOCK_FILE);
  const mine = `${lock}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }), { mode: 0o600 });
  try {
    while (!tryLink(mine, lock)) removeIfStale(lock, directory);
  } finally {
    rmSync(mine, { force: true });
  }
  return () => rmSync(lock, { force: true });
}

/** Makes the lock appear whole and at once, or not at all when there is one. */
function tryLink(mine: string, lock: string): boolean {
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function removeIfStale(lock: string, directory: string): void {
  const found = readLock(lock);
  if (found === undefined) return;
  const { pid, started } = parseLock(found);
  if (isAlive(pid) && (started === undefined || startOf(pid) === started)) {
    throw new NetworkStartError(
      `The data directory ${directory} is in use by process ${pid}: stop it, or choose another directory.`,
    );
  }
  const stale = `${lock}.stale.${process.pid}`;
  try {
    renameSync(lock, stale);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  // Another process may have taken the stale lock over in between: then it gets its own back.
  if (readLock(stale) !== found) renameSync(stale, lock);
  else rmSync(stale, { force: true });
}

function readLock(lock: string): string | undefined {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function parseLock(text: string): { pid: number; started?: string } {
  try {
    const { pid, started } = JSON.parse(text) as { pid: unknown; started: unknown };
    return { pid: Number(pid), ...(typeof started === 'string' ? { started } : {}) };
  } catch {
    return { pid: Number.NaN };
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** When a process began, in its system's own words: a pid alone may be another process's by now. */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
    return process.platform === 'win32'
      ? undefined
      : execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
