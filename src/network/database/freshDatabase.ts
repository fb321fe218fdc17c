import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';

const BLOCK = 512;

/**
 * A new embedded database as a tar file. The build prepares it, because PGlite takes seconds to initialize a directory.
 * `undefined` without a build.
 */
export function readFreshDatabase(): Uint8Array<ArrayBuffer> | undefined {
  // In two steps, because bundlers copy the file of `new URL('…', import.meta.url)`.
  const here = import.meta.url;
  try {
    const file = fileURLToPath(new URL('../../../dist/fresh-database.tar.br', here));
    return new Uint8Array(brotliDecompressSync(readFileSync(file)));
  } catch {
    return undefined;
  }
}

/** Unpacks a tar file into a directory, which then exists completely or not at all. */
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
    // Readable for this account only, as PostgreSQL requires.
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
