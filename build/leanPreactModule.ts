import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';
import { leanPreact } from './leanPreact.ts';
import { minifyAgain } from './minifyAgain.ts';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url)).replaceAll('\\', '/');
/** Where the widget finds it in dist/. There is no such source file. */
const MODULE = `${SOURCES}widget/preact.js`;

/** Gives the widget's modules a reduced Preact of their own: a bundler can't remove what the widget doesn't use. */
export function leanPreactModule(): Plugin {
  return {
    name: 'lean-preact-module',
    enforce: 'pre',
    resolveId: (id, from) => (isOfWidget(id, from) ? MODULE : undefined),
    load: (id) => (id === MODULE ? bundleLeanPreact() : undefined),
  };
}

/** Whether an import is the widget's Preact. */
export function isOfWidget(id: string, from: string | undefined): boolean {
  return id === 'preact' && from !== undefined && from.replaceAll('\\', '/').startsWith(`${SOURCES}widget/`);
}

async function bundleLeanPreact(): Promise<string> {
  const entry = 'lean-preact-entry';
  const results = (await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: entry,
        resolveId: (id) => (id.endsWith(entry) ? entry : undefined),
        load: (id) => (id === entry ? "export { createElement, render } from 'preact';" : undefined),
      },
      leanPreact(),
      minifyAgain({ isLean: true, isModule: true }),
    ],
    build: { write: false, target: 'es2022', lib: { entry, formats: ['es'] } },
  })) as Rolldown.RolldownOutput[];
  return results[0]?.output[0].code ?? '';
}
