import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Returns the built file of the script tag. */
export function scriptTag(): Buffer {
  return readFileSync(`${ROOT}dist/offerlet.js`);
}

/** Returns the number of bytes after brotli at its highest quality, as a CDN sends them. */
export function brotli(code: Uint8Array): number {
  return brotliCompressSync(code).length;
}

/** Bundles and minifies a line of code that imports the built package, as a merchant's bundler does. */
export async function bundleOf(code: string, external: readonly string[] = []): Promise<Buffer> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root: ROOT,
    oxc: { jsx: { development: false } }, // else JSX has the paths of its files, whatever a clone is called
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? `${ROOT}entry.js` : undefined),
        load: (id) => (id === `${ROOT}entry.js` ? code : undefined),
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: 'entry',
        external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
        output: { format: 'es' },
      },
    },
  });
  const { output } = (Array.isArray(result) ? result[0] : result) as Rolldown.RolldownOutput;
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  const loaded = new Set(output.flatMap((file) => (file.type === 'chunk' && file.isEntry ? [file.fileName] : [])));
  // Counts what a page loads at once. Chunks behind an `import()` are loaded later, if at all.
  for (const name of loaded)
    for (const other of chunks.get(name)?.imports ?? []) if (chunks.has(other)) loaded.add(other);
  return Buffer.from([...loaded].map((name) => chunks.get(name)?.code ?? '').join(''));
}
