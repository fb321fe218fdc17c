import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The built file of the script tag. */
export function scriptTag(): Buffer {
  return readFileSync(`${ROOT}dist/offerlet.js`);
}

/** Bytes after brotli at its best, as a CDN sends them. */
export function brotli(code: Uint8Array): number {
  return brotliCompressSync(code).length;
}

/** The minified bundle of a line of code that imports the built package, as a merchant's bundler makes it. */
export async function bundleOf(code: string, external: readonly string[] = []): Promise<Buffer> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    root: ROOT,
    plugins: [
      {
        name: 'line',
        resolveId: (id) => (id === 'line' ? `${ROOT}line.js` : undefined),
        load: (id) => (id === `${ROOT}line.js` ? code : undefined),
      },
    ],
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: 'line',
        external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
        output: { format: 'es' },
      },
    },
  });
  const { output } = (Array.isArray(result) ? result[0] : result) as Rolldown.RolldownOutput;
  const chunks = new Map(output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file]] : [])));
  const loaded = new Set(output.flatMap((file) => (file.type === 'chunk' && file.isEntry ? [file.fileName] : [])));
  // What a page loads at once: chunks behind an `import()` come only when they are asked for.
  for (const name of loaded)
    for (const other of chunks.get(name)?.imports ?? []) if (chunks.has(other)) loaded.add(other);
  return Buffer.from([...loaded].map((name) => chunks.get(name)?.code ?? '').join(''));
}
