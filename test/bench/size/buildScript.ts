import { loadConfigFromFile, build, type Rolldown } from 'vite';

/** How a build of the script differs from the published one. */
export interface ScriptBuild {
  readonly sourcemap?: 'hidden' | false;
}

/** Builds the script in memory. */
export async function buildScript({ sourcemap = false }: ScriptBuild): Promise<Rolldown.OutputChunk> {
  const mode = 'script';
  // The bench itself runs as development.
  process.env['NODE_ENV'] = 'production';
  const config = (await loadConfigFromFile({ command: 'build', mode }))?.config;
  const results = await build({
    ...config,
    configFile: false,
    mode,
    logLevel: 'error',
    build: { ...config?.build, write: false, sourcemap },
  });
  const chunk = (results as Rolldown.RolldownOutput[])[0]?.output[0];
  if (!chunk) throw new Error('The build made no script.');
  return chunk;
}
