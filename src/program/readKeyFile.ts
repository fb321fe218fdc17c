import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { UsageError } from './ExitError.ts';

/** Bytes of a file with a key that are read: it may be a device without end. */
const KEY_FILE_MAX = 4_096;

/** Returns the key in a file. `note` gets a line for people if every account can read it. Throws a `UsageError` that names the option. */
export function readKeyFile(option: string, path: string, note: (line: string) => void, max = KEY_FILE_MAX): string {
  let text = '';
  try {
    const file = openSync(path, 'r');
    try {
      const status = fstatSync(file);
      if (status.isFile() && process.platform !== 'win32' && (status.mode & 0o004) !== 0)
        note(`Every account of this machine can read the key in "${path}". Run chmod 600 on it.`);
      const buffer = Buffer.alloc(max);
      let length = 0;
      for (let read = 1; read > 0 && length < max; length += read)
        read = readSync(file, buffer, length, max - length, null);
      text = buffer.toString('utf8', 0, length).trim();
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${option} cannot be read: "${path}" (${code ?? 'unknown error'}).`);
  }
  if (!/^\S+$/.test(text))
    throw new UsageError(`${option} ${text ? 'has more in it than one key' : 'is empty'}: "${path}".`);
  return text;
}
