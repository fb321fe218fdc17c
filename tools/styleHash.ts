// The hash of the style sheet that `renderOffers` writes into pages, for their Content Security Policies. It is computed here,
// because `renderOffers` is synchronous and runs where there is no module for that.
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

/** Gives style sheets that are imported as text an export `hash`. */
export function styleHash(): Plugin {
  return {
    name: 'style-hash',
    enforce: 'post',
    transform(code, id) {
      const [, css] = (id.endsWith('.css?inline') && /^export default (".*"|'.*')\s*;?\s*$/s.exec(code)) || [];
      if (css === undefined) return undefined;
      const digest = createHash('sha256')
        .update(JSON.parse(css) as string)
        .digest('base64');
      return `${code}\nexport const hash = "sha256-${digest}";`;
    },
  };
}
