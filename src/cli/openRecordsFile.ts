import { chmodSync, closeSync, fstatSync, openSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { UsageError } from '../program/ExitError.ts';

/** A file of JSON Lines that what the network accepted is added to. */
export interface RecordsFile {
  /** Adds a line. Resolves when it is handed to the operating system. */
  add(record: object): Promise<void>;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** Only this account may read it: it says who bought what. */
const MODE = 0o600;
/** Characters of records that may wait while a write hangs; beyond that, they are refused. */
const WAITING_MAX = 64 * 1024 * 1024;

/** Opens the file of `--events-to`. It is opened for each write, so it may be moved away at any time. Throws a `UsageError`. */
export function openRecordsFile(path: string): RecordsFile {
  try {
    const file = openSync(path, 'a', MODE);
    if (fstatSync(file).isFile() && process.platform !== 'win32') chmodSync(path, MODE);
    closeSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--events-to cannot be written: "${path}" (${code ?? 'unknown error'}).`);
  }
  let waiting = '';
  let isBroken = false;
  let next: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();

  /** Lines that arrive during a write are the next write. */
  function write(): Promise<void> {
    next ??= writing
      .catch(() => undefined)
      .then(() => {
        const text = `${isBroken ? '\n' : ''}${waiting}`;
        [waiting, next] = ['', undefined];
        // A disk that is full may have taken half a line: the next one must not continue it.
        isBroken = true;
        writing = appendFile(path, text, { mode: MODE }).then(() => void (isBroken = false));
        return writing;
      });
    return next;
  }

  return {
    async add(record) {
      const line = `${JSON.stringify(record)}\n`;
      if (waiting.length + line.length > WAITING_MAX) throw new Error(`${WAITING_MAX} characters wait for the disk`);
      waiting += line;
      return write();
    },
    async close() {
      await (waiting ? write() : writing);
    },
  };
}
