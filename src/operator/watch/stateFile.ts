import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { keyOfCause, type Cause, type Causes } from './evaluate.ts';
import { EXIT, ExitError, UsageError } from '../../program/ExitError.ts';
import { replaceFile } from '../../program/print.ts';
import { DirectoryInUseError, lockDirectory } from '../../lock/lockDirectory.ts';
import { isObject, parseJson } from '../../wire/json.ts';

/** A state file that belongs to this process. */
export interface StateFile {
  /** The open causes that the last run found. */
  readonly causes: Causes;
  /** Replaces the file. It is on disk when this returns. */
  save(causes: Causes): void;
  release(): Promise<void>;
}

/** Says of what the causes are: the same file must not serve two channels. */
export interface StateOwner {
  readonly network: string;
  readonly channel: string;
}

const VERSION = 1;

/** Locks and reads a state file; one that does not exist is empty. Throws when another process uses it. */
export async function openStateFile(path: string, owner: StateOwner): Promise<StateFile> {
  const directory = dirname(resolve(path));
  const name = basename(path);
  const lock = await lockDirectory(directory, { name, say: () => undefined }).catch((error: unknown) => {
    if (error instanceof DirectoryInUseError)
      throw new ExitError(`Another "watch" uses ${path} at the moment. Run it again when that is done.`, EXIT.failed);
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--state cannot be written: "${path}" (${code ?? String(error)}).`);
  });
  try {
    return {
      causes: readStateFile(path, owner),
      save(causes) {
        lock.verify();
        replaceFile(
          resolve(path),
          `${JSON.stringify({ version: VERSION, ...owner, causes: [...causes.values()] }, undefined, 1)}\n`,
          0o600,
        );
      },
      release: () => lock.release(),
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Reads a state file; one that does not exist has no causes. */
function readStateFile(path: string, owner: StateOwner): Causes {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return new Map();
    throw new UsageError(`--state cannot be read: "${path}" (${code ?? 'unknown error'}).`);
  }
  const state = parseJson(text);
  // Beginning anew would print everything again.
  if (!isObject(state) || state['version'] !== VERSION || !Array.isArray(state['causes']))
    throw new UsageError(`--state is not a state file of "watch": "${path}". Use another file, or delete it.`);
  if (state['network'] !== owner.network || state['channel'] !== owner.channel)
    throw new UsageError(
      `--state belongs to the channel "${String(state['channel'])}" of ${String(state['network'])}: "${path}". Use another file for this one.`,
    );
  const causes = state['causes'] as readonly Cause[];
  return new Map(causes.map((cause) => [keyOfCause(cause), cause]));
}
