import { readBudget } from '../budget/house.ts';
import { bundleOf, scriptTag } from './bytes.ts';

/** A file or bundle that a shopper downloads. */
export interface Size {
  readonly what: string;
  readonly code: Buffer;
}

/** What most merchants import. */
export const SHOW = "import { showOffers } from 'offerlet'";

/** Measures in the built package what has a limit in bytes: a file, an import, or an example. React is the merchant's. */
export function measureSizes(): Promise<Size[]> {
  return Promise.all(Object.keys(readBudget().figures.bytes).map(async (what) => ({ what, code: await codeOf(what) })));
}

/** Bundles what an import statement, or the module of an example, costs a merchant. */
export function codeOf(what: string, external: readonly string[] = ['react']): Promise<Buffer> | Buffer {
  if (what === 'dist/offerlet.js') return scriptTag();
  const [, name] = /^import \{ (\w+) \}/.exec(what) ?? [];
  const code = name ? what : `import used from './${what}'`;
  return bundleOf(`${code}; globalThis.x = ${name ?? 'used'};`, external);
}
