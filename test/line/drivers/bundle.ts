import { build, type Rolldown } from 'vite';

/** A worker runs many files of tests, and most of them need the same bundles. */
const bundles = new Map<string, Promise<string>>();

/** Returns a source file as browsers get it: one script that defines `name`, or one module. Each is built once per worker. */
export function bundle(entry: string, format: 'iife' | 'es', name = 'offerletScript'): Promise<string> {
  const key = [entry, format, name].join(' ');
  const known = bundles.get(key) ?? bundleAnew({ entry, formats: [format], name });
  bundles.set(key, known);
  return known;
}

async function bundleAnew(lib: { entry: string; formats: ('iife' | 'es')[]; name: string }): Promise<string> {
  const output = (await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"development"' }, // for React, which then mounts twice
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      cssTarget: ['chrome123', 'safari17.5', 'firefox128'],
      lib,
      // Modules that are loaded lazily are included: a test serves one file.
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })) as Rolldown.RolldownOutput[];
  return output[0]?.output[0].code ?? '';
}
