import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { UsageError } from '../UsageError.ts';

/** Writes a whole file or nothing: a reader never finds half of it. Throws a `UsageError` when the file cannot be written. */
export function writeFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--output cannot be written: "${path}" (${code ?? String(error)}). Use another file.`);
  }
}
