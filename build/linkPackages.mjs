// Makes the packages importable by name inside a clone: node_modules/offerlet is the clone, node_modules/offerlet-sandbox its
// sandbox/ folder, node_modules/offerlet-operator its operator/ folder, as where all are installed.
import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Creates the links, or replaces them. */
export function linkPackages() {
  mkdirSync(join(ROOT, 'node_modules'), { recursive: true });
  link('offerlet', ROOT);
  link('offerlet-operator', join(ROOT, 'operator'));
  link('offerlet-sandbox', join(ROOT, 'sandbox'));
}

function link(name, target) {
  const path = join(ROOT, 'node_modules', name);
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(path);
  symlinkSync(target, path, 'junction'); // on Windows, a junction needs no special rights
}
