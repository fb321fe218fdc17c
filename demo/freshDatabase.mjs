// Writes dist/fresh-database.tar.br: what the embedded database makes of an empty directory, made once at the build. A
// start then unpacks it instead of computing it, which takes some seconds of a processor. The same at every build: its
// clock stands still and its dice always show the same. (Its secrets guard connections over TCP, which it has none of.)
import crypto, { createHash } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const FILE = fileURLToPath(new URL('../dist/fresh-database.tar.br', import.meta.url));
const NOW = Date.UTC(2026, 0, 1);

const zeros = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength).fill(0) && array;
crypto.randomFillSync = zeros;
globalThis.crypto.getRandomValues = zeros;
syncBuiltinESMExports();
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [NOW] : parts));
  }
  static now = () => NOW;
};

const { PGlite } = await import('@electric-sql/pglite');
const pglite = await PGlite.create();
const tar = new Uint8Array(await (await pglite.dumpDataDir('none')).arrayBuffer());
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } };
const packed = brotliCompressSync(tar, options);
mkdirSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true });
// Whoever starts a network meanwhile finds the whole file or none.
writeFileSync(`${FILE}.new`, packed);
renameSync(`${FILE}.new`, FILE);
console.log(
  `dist/fresh-database.tar.br  ${packed.length} bytes  sha256 ${createHash('sha256').update(packed).digest('hex')}`,
);
process.exit(0);
