// Builds the documentation as a site into docs/site/.vitepress/dist, and checks every link, anchor and common search of it.
// The first time it installs VitePress here.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from '../../tools/prepare.mjs';

const SITE = fileURLToPath(new URL('.', import.meta.url));
const DOCS = join(SITE, '..');
const BUILT = join(SITE, '.vitepress', 'dist');
const TIMEOUT_MS = 240_000;

if (!['vitepress', 'minisearch'].every((name) => existsSync(join(SITE, 'node_modules', name))))
  run('npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error');
// A copy, because what pages import is looked for in the folders above them.
rmSync(join(SITE, 'pages'), { recursive: true, force: true });
for (const entry of readdirSync(DOCS))
  if (entry !== 'site') cpSync(join(DOCS, entry), join(SITE, 'pages', entry), { recursive: true });
const { stderr } = run('npx', '--no-install', 'vitepress', 'build');
if (/warning|not found/i.test(stderr)) fail(stderr);
await install();
const { buildPlayground } = await import('../../tools/playground.mjs');
await buildPlayground(join(BUILT, 'playground'));
const base = process.env.OFFERLET_SITE_BASE ?? '/';
const pages = new Map(
  readdirSync(BUILT, { recursive: true })
    .filter((path) => path.endsWith('.html'))
    .map((path) => [path.split(sep).join('/'), readFileSync(join(BUILT, path), 'utf8')]),
);
const broken = [...pages].flatMap(([path, html]) => brokenLinks(path, html));
const empty = [...pages].flatMap(([path, html]) => (path === '404.html' || html.includes('<h1') ? [] : path));
if (empty.length > 0) fail(`Pages without a title: ${empty.join(', ')}`);
if (pages.size < 30) fail(`Only ${pages.size} pages were built.`);
if (broken.length > 0) fail(`Broken links:\n${broken.join('\n')}`);
// Its packages may have been installed just now.
const { misledSearches } = await import('./checkSearch.mjs');
const misled = await misledSearches(BUILT, base);
if (misled.length > 0) fail(`Searches that mislead:\n${misled.join('\n')}`);
console.log(
  `Built ${pages.size} pages in ${relative(process.cwd(), BUILT) || BUILT}; every link leads somewhere, and common searches find their page.`,
);

/** The links of a page that lead to no file, or to no element of a page. */
function brokenLinks(path, html) {
  return [...html.matchAll(/<(?:a|link|img|script)\b[^>]*?\s(?:href|src)="([^"]+)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link))
    .filter((link) => !leadsSomewhere(path, link))
    .map((link) => `${path}: ${link}`);
}

function leadsSomewhere(from, link) {
  const [target = '', anchor = ''] = link.split('#');
  const absolute =
    target === ''
      ? `/${from}`
      : target.startsWith('/')
        ? `/${target.slice(base.length)}`
        : posix.join('/', dirname(from), target);
  const path = absolute.slice(1);
  const page = [path, `${path}.html`, posix.join(path, 'index.html')].find((one) => pages.has(one));
  if (page === undefined) return path !== '' && existsSync(join(BUILT, path)) && statSync(join(BUILT, path)).isFile();
  return anchor === '' || pages.get(page).includes(`id="${decodeURIComponent(anchor)}"`);
}

function run(command, ...args) {
  const shell = process.platform === 'win32';
  const result = spawnSync(command, args, { cwd: SITE, encoding: 'utf8', timeout: TIMEOUT_MS, shell });
  if (result.status !== 0) fail(`${command} ${args.join(' ')} failed.\n${result.stdout}${result.stderr}`);
  return result;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
