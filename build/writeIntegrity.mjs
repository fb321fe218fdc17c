// Writes dist/integrity.json: the SRI value of each file that pages load, for build tools and `offerlet integrity`.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files that pages load from the package. */
const FILES = ['offerlet.js', 'offerlet-inspector.js'];

/** Writes the integrity values of the files in a folder beside them. */
export function writeIntegrity(folder, version) {
  const files = Object.fromEntries(
    FILES.map((name) => {
      const bytes = readFileSync(join(folder, name));
      const value = `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
      return [name, value];
    }),
  );
  writeFileSync(join(folder, 'integrity.json'), `${JSON.stringify({ version, files }, undefined, 2)}\n`);
}
