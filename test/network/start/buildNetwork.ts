import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

/** Builds the network for a separate process. Returns the URL of its module, which is in a place where Node finds its packages. */
export async function buildNetwork(name: string, plugins: Plugin[] = []): Promise<string> {
  const root = join(import.meta.dirname, '../../../node_modules/.cache', `offerlet-${name}-${process.pid}`);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'package.json'), JSON.stringify({ type: 'module', version: '0.0.0-test' }));
  await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins,
    build: {
      outDir: join(root, 'dist'),
      target: 'es2022',
      minify: false,
      ssr: true,
      rolldownOptions: {
        input: ['network', 'relay'].map((entry) => join(import.meta.dirname, `../../../src/${entry}.ts`)),
        external: (id: string) => !id.startsWith('.') && !id.startsWith('/'),
        output: {
          preserveModules: true,
          preserveModulesRoot: join(import.meta.dirname, '../../../src'),
          entryFileNames: '[name].js',
        },
      },
    },
  });
  return pathToFileURL(join(root, 'dist/network.js')).href;
}
