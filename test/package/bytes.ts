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
        output: { format: 'es', codeSplitting: false },
      },
    },
  });
  const { output } = (Array.isArray(result) ? result[0] : result) as Rolldown.RolldownOutput;
  return Buffer.from(output.map((chunk) => (chunk.type === 'chunk' ? chunk.code : '')).join(''));
}
