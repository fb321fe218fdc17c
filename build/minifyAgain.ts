import { minify } from 'terser';
import type { Plugin } from 'vite';
import { INTERNAL_NAME, PREACT_NAME } from './internalNames.ts';
import { rewriteChunks } from './rewriteChunks.ts';

/**
 * Has Chromium compile every function while the file arrives, off the main thread. Otherwise it does so on the main thread, function
 * by function, between the response and the paint.
 */
export const COMPILE_HINT = '//# allFunctionsCalledOnLoad';

/** Runs a second minifier over a script: terser finds 2 to 5 % that the bundler's own minifier leaves. */
export function minifyAgain({ isLean = false, isModule = false } = {}): Plugin {
  return rewriteChunks('minify-again', async (chunk) => {
    const { code, map } = await minify(chunk.code, {
      ...(chunk.map && { sourceMap: { content: JSON.stringify(chunk.map), asObject: true } }), // for the bench
      ecma: 2020,
      compress: { passes: 4, pure_getters: true, keep_fargs: false, comparisons: false },
      module: isModule,
      mangle: isLean ? { properties: { regex: isModule ? PREACT_NAME : INTERNAL_NAME } } : true,
      format: { quote_style: 2, ...(isLean && !isModule && { preamble: COMPILE_HINT }) },
    });
    if (code) chunk.code = code;
    if (chunk.map && map) Object.assign(chunk.map, map);
  });
}
