import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { brotli } from '../package/bytes.ts';
import { measureSizes } from '../package/sizes.ts';

/** Limits of what the project weighs. A change may exceed one by `SLACK`, so that a first line fits; a release may not. */
export interface Budget {
  readonly rule: string;
  readonly figures: Record<'bytes' | 'counts' | 'seconds', Record<string, { limit: number; aim?: number }>>;
  /** What was taken out for what came in, if a limit was raised: one sentence each. */
  readonly trades: readonly string[];
}

export const FILE = 'test/budget/budget.json';
/** By how much a change may exceed a limit. */
const SLACK = 0.01;
/** The figures of the last `npm test` of this clone: a change is told by how much it differs. */
const LAST = 'node_modules/.offerlet/house.json';

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

/** The most that a figure may be: its limit for a release, and a little more for a change. */
export function readMost(kind: 'bytes' | 'counts', what: string): number {
  const limit = readBudget().figures[kind][what]?.limit ?? 0;
  return process.env['OFFERLET_RELEASE'] === '1' ? limit : Math.floor(limit * (1 + SLACK));
}

/** Prints what differs from the last `npm test` of this clone, lines from the branch's beginning, and what exceeds its limit. */
export async function printDifference(): Promise<void> {
  const { bytes, counts } = await measureHouse();
  const last = existsSync(LAST) ? (JSON.parse(readFileSync(LAST, 'utf8')) as Record<string, number>) : {};
  const before = { ...last, ...countAtBase() };
  console.log(`${''.padEnd(50)}${['before', 'now', 'limit'].map((title) => title.padStart(8)).join('')}`);
  for (const [what, now] of Object.entries({ ...counts, ...bytes })) {
    const limit = Object.assign({}, ...Object.values(readBudget().figures))[what]?.limit as number;
    if ((before[what] ?? now) === now && now <= limit) continue;
    const cells = [before[what], now, limit].map((cell) => String(cell ?? '').padStart(8)).join('');
    console.log(`${what.padEnd(50)}${cells}${now > limit ? '  over: a release will need less' : ''}`);
  }
  writeFileSync(LAST, JSON.stringify(bytes));
}

/** Lines where this branch left main, or those of the last commit. */
function countAtBase(): Record<string, number> {
  const git = (...words: string[]): string | undefined => {
    const { status, stdout } = spawnSync('git', words, { encoding: 'utf8', maxBuffer: 1e8 });
    return status === 0 ? stdout.trim() : undefined;
  };
  const base = git('merge-base', 'HEAD', 'origin/main') ?? git('merge-base', 'HEAD', 'main') ?? 'HEAD';
  const linesOf = (...paths: string[]): number =>
    (git('grep', '-c', '', base, '--', ...paths) ?? '')
      .split('\n')
      .reduce((sum, line) => sum + Number(/:(\d+)$/.exec(line)?.[1] ?? 0), 0);
  return {
    'lines of src': linesOf('src', ':!*.md'),
    'lines of test': linesOf('test/*.ts', 'test/*.tsx', 'test/*.mjs'),
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
    'lines of README.md': count(/^README\.md$/, /\n/g),
    'entries at the top': new Set(files.map((path) => path.split('/')[0])).size,
  };
}

/** Test-seconds of each folder and seconds of the whole, as test/suites.mjs wrote them. */
function readSeconds(): Record<string, number> {
  const path = 'node_modules/.offerlet/seconds.json';
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>) : {};
}
