// The words of each page, code blocks left out: `npm run words`. Contributors' pages are counted apart.
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const CONTRIBUTORS = /^(?:CONTRIBUTING\.md|docs\/project\/)/;

/** Counts the words of a Markdown text: no code blocks, comments, tags or link targets. */
export function countWords(markdown) {
  const prose = markdown.replace(/^( *)```[\s\S]*?^\1```$/gm, '').replace(/<!--[\s\S]*?-->|<[^>]+>|\]\([^)]*\)/g, ' ');
  return prose.match(/[\p{L}\p{N}][\p{L}\p{N}'’_.-]*/gu)?.length ?? 0;
}

/** The README files, the documents beside them, and everything in docs/. */
export const PAGE_PATHS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  '.github/SECURITY.md',
  'packages/operator/README.md',
  'packages/sandbox/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('site'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .sort(),
];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const pages = PAGE_PATHS.map((path) => ({ path, words: countWords(readFileSync(path, 'utf8')) })).toSorted(
    (a, b) => b.words - a.words,
  );
  const print = (title, some) => {
    console.log(`${String(some.reduce((sum, { words }) => sum + words, 0)).padStart(6)}  ${title}`);
    for (const { path, words } of some) console.log(`${String(words).padStart(6)}    ${path}`);
  };
  print(
    'for readers',
    pages.filter(({ path }) => !CONTRIBUTORS.test(path)),
  );
  print(
    'for contributors',
    pages.filter(({ path }) => CONTRIBUTORS.test(path)),
  );
  console.log(`${String(pages.reduce((sum, { words }) => sum + words, 0)).padStart(6)}  in all`);
}
