import { build, type Rolldown } from 'vite';

/** A file of ours as browsers get it: one script that answers to `name`, or one module. */
export async function bundle(entry: string, format: 'iife' | 'es', name = 'offerletScript'): Promise<string> {
  const output = (await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' }, // for React, which then mounts twice
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      cssTarget: ['chrome123', 'safari17.5', 'firefox128'],
      lib: { entry, formats: [format], name },
      // What is loaded lazily comes along: a test serves one file.
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput[];
  return output[0]?.output[0].code ?? '';
}
