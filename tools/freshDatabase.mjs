// Writes fresh-database.tar.br to the given path: the files that the embedded database creates in an empty directory. A network that
// starts for the first time unpacks it, which saves it a few seconds of computing. Two builds give the same bytes, because
// the clock is stopped and the random source returns zeros. (The secrets derived from it guard TCP connections only, and
// the embedded database accepts none.)
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';

const [, , FILE] = process.argv;
const NOW = Date.UTC(2026, 0, 1);

const zeros = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength).fill(0) && array;
crypto.randomFillSync = zeros;
globalThis.crypto.getRandomValues = zeros;
syncBuiltinESMExports();
const RealDate = Date;
globalThis.Date = /** @type {DateConstructor} */ (
  new Proxy(RealDate, {
    construct: (Real, parts) => Reflect.construct(Real, parts.length === 0 ? [NOW] : parts),
    get: (Real, name) => (name === 'now' ? () => NOW : Reflect.get(Real, name)),
  })
);

const { PGlite } = await import('@electric-sql/pglite');
const pglite = await PGlite.create();
const tar = new Uint8Array(await (await pglite.dumpDataDir('none')).arrayBuffer());
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } };
const packed = brotliCompressSync(tar, options);
writeFileSync(FILE, packed);
process.exit(0);
