import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { UsageError } from '../UsageError.ts';

/**
 * Writes a whole file or nothing: a reader never finds half a file. A file that exists keeps its mode, and links to it stay;
 * a device or a pipe is opened and written. Throws a `UsageError` when the file cannot be written.
 */
export function writeFile(path: string, text: string): void {
  try {
    const old = statSync(path, { throwIfNoEntry: false });
    if (old?.isFile()) replace(realpathSync(path), { text, mode: old.mode });
    // A path that is not a regular file, or a link to a missing file, must not be replaced by a file.
    else if (old || lstatSync(path, { throwIfNoEntry: false })) writeFileSync(path, text);
    else replace(path, { text });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--output cannot be written: "${path}" (${code ?? String(error)}). Use another file.`);
  }
}

function replace(path: string, { text, mode }: { readonly text: string; readonly mode?: number }): void {
  const temporary = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  const file = openSync(temporary, 'wx', mode === undefined ? 0o666 : 0o600);
  try {
    try {
      writeFileSync(file, text);
      if (mode !== undefined) fchmodSync(file, mode & 0o777);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
