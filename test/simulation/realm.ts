import { compileFunction } from 'node:vm';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

/** Names that a program finds in its own world and not in Node's. */
const NAMES = (
  'globalThis process require Date Math performance crypto console AbortSignal fetch setTimeout clearTimeout setInterval ' +
  'clearInterval setImmediate clearImmediate indexedDB IDBKeyRange localStorage navigator location BroadcastChannel'
).split(' ');

/** Starts a program with its globals; returns what it exports. Each start has its own modules. */
export type Realm<Exports> = (globals: Readonly<Record<string, unknown>>) => Exports;

/** A fault that is put into the source: one line in place of another. */
export interface Sabotage {
  readonly name: string;
  /** The file in src/. */
  readonly file: string;
  readonly replace: string;
  readonly by: string;
}

/** Builds a program of `realms/` from the source, in which a line may be replaced. */
export async function buildRealm<Exports>(name: string, sabotage?: Sabotage): Promise<Realm<Exports>> {
  const entry = fileURLToPath(new URL(`realms/${name}.ts`, import.meta.url));
  const plugin: Plugin = {
    name: 'sabotage',
    enforce: 'pre',
    transform(code, id) {
      const here = code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
      if (!sabotage || !id.endsWith(`/src/${sabotage.file}`)) return here;
      if (here.split(sabotage.replace).length !== 2) throw new Error(`${sabotage.name}: not one such line`);
      return here.replace(sabotage.replace, () => sabotage.by);
    },
  };
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [plugin],
    build: {
      write: false,
      minify: false,
      target: 'esnext',
      lib: { entry, formats: ['cjs'], fileName: 'realm' },
      rolldownOptions: { external: [/^node:/, 'pg', 'redis', '@electric-sql/pglite'] },
    },
  });
  const [output] = [built].flat();
  const code = output && 'output' in output ? output.output[0].code : '';
  const run = compileFunction(`(() => {${code}\n})()`, ['module', 'exports', ...NAMES]) as (
    ...given: unknown[]
  ) => void;
  return (globals) => {
    const module = { exports: {} as Exports };
    const scope: Record<string, unknown> = Object.create(globalThis, {});
    for (const [key, value] of Object.entries({ process: undefined, ...globals }))
      Object.defineProperty(scope, key, { value, enumerable: true, writable: true });
    run(module, module.exports, ...NAMES.map((key) => (key === 'globalThis' ? scope : globals[key])));
    return module.exports;
  };
}
