import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { brotli } from '../package/bytes.ts';
import { measureSizes } from '../package/sizes.ts';

/** Who exceeds a limit takes something else out in the same change. */
export interface Budget {
  readonly rule: string;
  readonly figures: Record<'bytes' | 'counts' | 'seconds', Record<string, { limit: number; aim?: number }>>;
  /** What was taken out for what came in, if a limit was raised: one sentence each. */
  readonly trades: readonly string[];
}

export const FILE = 'test/budget/budget.json';

/** Returns the limits. */
export function readBudget(): Budget {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Budget;
}

/** Measures what the limits are about: the built package (as the keys of the limits name it), what git tracks, and the last complete `npm test` of this clone. */
export async function measureHouse(): Promise<Record<keyof Budget['figures'], Record<string, number>>> {
  const sizes = await measureSizes();
  return {
    bytes: Object.fromEntries(sizes.map(({ what, code }) => [what, brotli(code)])),
    counts: countTracked(),
    seconds: readSeconds(),
  };
}

function countTracked(): Record<string, number> {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(existsSync);
  const count = (paths: RegExp, what: RegExp): number =>
    files
      .filter((path) => paths.test(path))
      .reduce((sum, path) => sum + (readFileSync(path, 'utf8').match(what)?.length ?? 0), 0);
  return {
    'lines of src': count(/^src\/.*(?<!\.md)$/, /\n/g),
    'lines of test': count(/^test\/.*\.(?:ts|tsx|mjs)$/, /\n/g),
    'words of docs': count(/^(?:docs|src)\/.*\.md$/, /\S+/g),
    'words of README.md': count(/^README\.md$/, /\S+/g),
    'entries at the top': new Set(files.map((path) => path.split('/')[0])).size,
  };
}

/** Test-seconds of each folder and seconds of the whole, as test/suites.mjs wrote them. */
function readSeconds(): Record<string, number> {
  const path = 'node_modules/.offerlet/seconds.json';
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>) : {};
}
