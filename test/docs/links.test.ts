import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { PAGES, pageAt, proseOf, type Page } from './pages.ts';

/** Where pages are that a package does not contain, seen from one that it contains. */
const REPOSITORY = /^https:\/\/github\.com\/offerlet\/offerlet\/(blob|raw)\/main\//;

test('every relative link and picture leads to a file, and every anchor to a heading', () => {
  const broken = PAGES.flatMap((page) => linksOf(page).flatMap((link) => problemWith(page.path, link)));
  expect(broken).toEqual([]);
});

test('every page in docs/ is linked from its index', () => {
  const linked = linksOf(pageAt('docs/README.md')).map((link) =>
    REPOSITORY.test(link) ? link.replace(REPOSITORY, '') : normalize(join('docs', link.split('#')[0] ?? '')),
  );
  const pages = PAGES.map(({ path }) => path).filter((path) => path.startsWith('docs/') && path !== 'docs/README.md');
  expect(pages.filter((path) => !linked.includes(path))).toEqual([]);
});

test('every page in docs/ is in the navigation of the site', () => {
  const config = readFileSync('docs/site/.vitepress/config.mjs', 'utf8');
  const missing = PAGES.map(({ path }) => path.replace(/^docs\/|(README)?\.md$/g, ''))
    .filter((path, index) => PAGES[index]?.path.startsWith('docs/') && path !== '')
    .filter((path) => !config.includes(`, '${path}')`));
  expect(missing).toEqual([]);
});

test('README stays short', () => {
  expect(readFileSync('README.md', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test('every comment that cites the documentation cites a place that exists', () => {
  const pattern = '(docs|src)/[a-z/-]+\\.md(#[a-z0-9-]+)?';
  const { stdout } = spawnSync('git', ['grep', '-hoE', pattern, '--', 'src', 'test', 'demo'], { encoding: 'utf8' });
  const broken = [...new Set(stdout.match(/\S+/g))].flatMap((link) => problemWith('', link));
  expect(broken).toEqual([]);
});

test('no page mentions a file of this repository that does not exist', () => {
  const missing = PAGES.flatMap((page) =>
    [...proseOf(page).matchAll(/`((?:src|test|tools|packages|demo|examples)\/[\w./-]*)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(path))
      .map((path) => `${page.path}: ${path}`),
  );
  expect(missing).toEqual([]);
});

function linksOf(page: Page): string[] {
  const links = [...proseOf(page).matchAll(/\]\(([^()\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => REPOSITORY.test(link) || !/^[a-z]+:/.test(link));
}

function problemWith(from: string, link: string): string[] {
  if (REPOSITORY.test(link)) return problemWith('', link.replace(REPOSITORY, ''));
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (!existsSync(target)) return [`${from}: ${link}: there is no file ${target}`];
  if (anchor === undefined || anchorsOf(target).has(anchor)) return [];
  return [`${from}: ${link}: ${target} has no heading for #${anchor}`];
}

/** The anchors of a page as GitHub makes them, and those that are written as `<a id>`. */
function anchorsOf(path: string): Set<string> {
  const text = proseOf({ path, text: readFileSync(path, 'utf8') });
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/[`*]/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]);
}
