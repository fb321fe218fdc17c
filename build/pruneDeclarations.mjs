import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Removes the declarations that no entry of a package leads to: half of them, and nobody can import those. */
export function pruneDeclarations(packageFolder, dist = join(packageFolder, 'dist')) {
  const { exports } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  const reached = new Set();
  for (const { types } of Object.values(exports)) if (types) visit(join(packageFolder, types));
  for (const entry of readdirSync(dist, { recursive: true })) {
    const path = join(dist, entry);
    if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(path);
  }

  function visit(path) {
    if (reached.has(path)) return;
    reached.add(path);
    const text = readFileSync(path, 'utf8');
    for (const [, , specifier] of text.matchAll(/(from|import|path=)\s*\(?["'](\.[^"']+)["']/g)) {
      if (/\.(css|json)\b/.test(specifier)) continue;
      visit(join(dirname(path), specifier.replace(/(\.d)?\.[jt]sx?$/, '') + '.d.ts'));
    }
  }
}
