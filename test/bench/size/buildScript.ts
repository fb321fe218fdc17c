import { loadConfigFromFile, build, type Plugin, type Rolldown } from 'vite';

/** How a build of the script differs from the published one. */
export interface ScriptBuild {
  /** Plugins to add before all others. */
  readonly plugins?: readonly Plugin[];
  /** Plugins to leave out, by name. */
  readonly without?: readonly string[];
  readonly sourcemap?: 'hidden' | false;
}

/** Builds the script in memory. */
export async function buildScript({
  plugins = [],
  without = [],
  sourcemap = false,
}: ScriptBuild): Promise<Rolldown.OutputChunk> {
  const mode = 'script';
  // The bench itself runs as development.
  process.env['NODE_ENV'] = 'production';
  const config = (await loadConfigFromFile({ command: 'build', mode }))?.config;
  const left = config?.plugins?.filter((plugin) => !['print-integrity', ...without].includes((plugin as Plugin).name));
  const results = await build({
    ...config,
    configFile: false,
    mode,
    logLevel: 'error',
    plugins: [...plugins, ...(left ?? [])],
    build: { ...config?.build, write: false, sourcemap },
  });
  const chunk = (results as Rolldown.RolldownOutput[])[0]?.output[0];
  if (!chunk) throw new Error('The build made no script.');
  return chunk;
}
