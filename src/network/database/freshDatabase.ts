import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

const BLOCK = 512;

/**
 * What the embedded database makes of an empty directory, as a tar file: made at the build, because making it takes seconds
 * of a processor and unpacking it does not. `undefined` where nothing was built.
 */
export function readFreshDatabase(): Uint8Array<ArrayBuffer> | undefined {
  // In two steps: a bundler would take `new URL('…', import.meta.url)` for a file to copy.
  const here = import.meta.url;
  try {
    const file = fileURLToPath(new URL('../../../dist/fresh-database.tar.br', here));
    return new Uint8Array(brotliDecompressSync(readFileSync(file)));
  } catch {
    return undefined;
  }
}

/** Writes the files of a tar file into a directory, which is there whole or not at all. */
export function unpack(tar: Uint8Array, directory: string): void {
  const unfinished = `${directory}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  for (let at = 0; tar[at];) {
    const text = (start: number, length: number): string =>
      Buffer.from(tar.buffer, tar.byteOffset + at + start, length)
        .toString('latin1')
        .split('\0', 1)[0] ?? '';
    const path = join(unfinished, text(0, 100));
    const size = Number.parseInt(text(124, 12), 8);
    const start = at + BLOCK;
    // The databases are for the eyes of this account only, as the database itself would have it.
    if (text(156, 1) === '5') mkdirSync(path, { recursive: true, mode: 0o700 });
    else {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, tar.subarray(start, start + size), { mode: 0o600 });
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  rmSync(directory, { recursive: true, force: true });
  renameSync(unfinished, directory);
}
