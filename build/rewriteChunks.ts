import type { Plugin, Rolldown } from 'vite';

/** Creates a plugin that rewrites each built chunk, after the bundler has minified it. */
export function rewriteChunks(
  name: string,
  rewrite: (chunk: Rolldown.OutputChunk, context: Rolldown.PluginContext) => Promise<void>,
): Plugin {
  return {
    name,
    generateBundle: {
      order: 'post',
      async handler(_, files): Promise<void> {
        for (const file of Object.values(files)) if (file.type === 'chunk') await rewrite(file, this);
      },
    },
  };
}
