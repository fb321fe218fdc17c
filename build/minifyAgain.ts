import { minify } from 'terser';
import type { Plugin } from 'vite';
import { INTERNAL_NAME, PREACT_NAME } from './internalNames.ts';

/**
 * Has Chromium compile every function while the file arrives, off the main thread. Otherwise it does so on the main thread, function
 * by function, between the response and the paint.
 */
export const COMPILE_HINT = '//# allFunctionsCalledOnLoad';

/** Runs a second minifier over a script: terser finds 2 to 5 % that the bundler's own minifier leaves. */
export function minifyAgain({ isLean = false, isModule = false } = {}): Plugin {
  return {
    name: 'minify-again',
    generateBundle: {
      order: 'post',
      async handler(_, files): Promise<void> {
        for (const file of Object.values(files)) {
          if (file.type !== 'chunk') continue;
          const { code, map } = await minify(file.code, {
            ...(file.map && { sourceMap: { content: JSON.stringify(file.map), asObject: true } }), // for the bench
            ecma: 2020,
            compress: { passes: 4, pure_getters: true, keep_fargs: false, comparisons: false },
            module: isModule,
            mangle: isLean ? { properties: { regex: isModule ? PREACT_NAME : INTERNAL_NAME } } : true,
            format: { quote_style: 2, ...(isLean && !isModule && { preamble: COMPILE_HINT }) },
          });
          if (code) file.code = code;
          if (file.map && map) Object.assign(file.map, map);
        }
      },
    },
  };
}
