// The style sheet that `renderOffers` writes into pages: as a file, and its hash for their Content Security Policies. That is
// computed here, because `renderOffers` is synchronous and runs where there is no module for that.
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

/** Gives style sheets that are imported as text an export `hash`. A build with a `fileName` writes the sheet there as well. */
export function styleHash(fileName?: string): Plugin {
  let source = '';
  return {
    name: 'style-hash',
    enforce: 'post',
    transform(code, id) {
      const [, css] = (id.endsWith('.css?inline') && /^export default (".*"|'.*')\s*;?\s*$/s.exec(code)) || [];
      if (css === undefined) return undefined;
      source = JSON.parse(css) as string;
      const digest = createHash('sha256').update(source).digest('base64');
      return `${code}\nexport const hash = "'sha256-${digest}'";`;
    },
    generateBundle() {
      if (fileName) this.emitFile({ type: 'asset', fileName, source });
    },
  };
}
