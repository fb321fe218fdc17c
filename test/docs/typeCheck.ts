import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import tsconfig from '../../tsconfig.json' with { type: 'json' };

/** One file to check, and where its lines come from. */
export interface Source {
  readonly name: string;
  readonly code: string;
  /** Says where line 1 of the code is, such as `docs/reference/page.md:12`. */
  readonly from: { readonly page: string; readonly line: number };
}

/** Type-checks the files against the public entries, and returns the errors with the page and line of each. */
export function typeCheck(sources: readonly Source[], options: Record<string, unknown> = {}): string[] {
  mkdirSync('node_modules/.offerlet', { recursive: true });
  // Below node_modules, so that imports of other packages resolve.
  const folder = mkdtempSync('node_modules/.offerlet/docs-');
  try {
    for (const { name, code } of sources) writeFileSync(join(folder, name), `${code}\nexport {};\n`);
    const root = process.cwd();
    const paths = Object.fromEntries(
      Object.entries(tsconfig.compilerOptions.paths).map(([name, [path = '']]) => [name, [join(root, path)]]),
    );
    const compilerOptions = {
      ...tsconfig.compilerOptions,
      noUnusedLocals: false,
      noUnusedParameters: false,
      typeRoots: [join(root, 'node_modules/@types')],
      ...options,
      paths,
    };
    const files = [...sources.map(({ name }) => name), ...ambientTypes().map((path) => join(root, path))];
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const { stdout } = spawnSync('npx', ['tsc', '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
    return stdout.split('\n').flatMap((line) => locate(line, sources));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What the sources import that is not TypeScript, such as style sheets. */
function ambientTypes(): string[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.d.ts'))
    .map((path) => join('src', path));
}

/** An error line with the page that it is about. Continuation lines are left out. */
function locate(error: string, sources: readonly Source[]): string[] {
  // Errors of our own source, which `npm run types` finds under the options that are meant for it.
  if (error.trim() === '' || error.startsWith(' ') || error.startsWith('src/')) return [];
  const [, path = '', line = '1', message = error] = /^(.+?)\((\d+),\d+\): (.*)$/.exec(error) ?? [];
  const source = sources.find(({ name }) => path.endsWith(name));
  return [source ? `${source.from.page}:${source.from.line + Number(line) - 1}: ${message}` : error];
}
