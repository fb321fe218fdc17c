// The site is docs/ as it is: pages, links and pictures work on GitHub too. Links that leave docs/ lead to the repository.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { SEARCH_OPTIONS } from './searchOptions.mjs';

const REPOSITORY = 'https://github.com/offerlet/offerlet';
/** Where pages of the registry and GitHub find the pictures of docs/. */
const PICTURES = `${REPOSITORY}/raw/main/docs/`;
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
/** Where the site is published: one folder for each version, `OFFERLET_SITE_BASE=/offerlet/v1.2/`. */
const base = process.env.OFFERLET_SITE_BASE ?? '/';

/** Where all published versions are listed: site.yml writes the page beside their folders. */
const VERSIONS = 'https://offerlet.github.io/offerlet/versions.html';
/** A letter in the accent colour, for the browser's tab. */
const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3451b2"/><circle cx="16" cy="16" r="7" fill="none" stroke="#fff" stroke-width="4"/></svg>',
  );
/** A flag or an attribute that fits into a column of a phone. */
const FLAG = /^(?:--|data-)[\w-]{1,22}$/;
/** More text than this in a row of three columns or more does not fit beside each other on a phone. */
const STACKED_LENGTH = 90;

/**
 * Code is small enough for about 75 characters on a laptop. Tables of long names leave room for the text beside them.
 * On a phone, the cells of a wide table with text are below each other.
 */
const STYLES = `.vp-doc div[class*='language-'] code{font-size:13px;padding:0 16px}
.vp-doc th,.vp-doc td{padding:8px 12px}.vp-doc td{vertical-align:top}.vp-doc td:last-child{min-width:10em}
.vp-doc .flag{white-space:nowrap}.vp-doc code{-webkit-box-decoration-break:clone;box-decoration-break:clone}
@media (width < 640px){.vp-doc th,.vp-doc td{padding:6px 8px}.vp-doc td:last-child{min-width:9em}
.vp-doc table:has([data-label]),.vp-doc table:has([data-label]) :is(tbody,tr,td){display:block;border:0}
.vp-doc table:has([data-label]) thead,.vp-doc td[data-label]:empty{display:none}
.vp-doc table:has([data-label]) tr{border:1px solid var(--vp-c-divider);padding:4px 6px}
.vp-doc table:has([data-label]) tr + tr{border-top:0}.vp-doc table:has([data-label]) td{padding:4px 6px}
.vp-doc td[data-label]:not(:first-child)::before{content:attr(data-label);display:block;font-size:12px;line-height:18px;color:var(--vp-c-text-2)}}`;

const page = (text, link) => ({ text, link: `/${link}` });
const sidebar = [
  {
    text: 'Start',
    items: [
      page('Choose your platform', 'start/'),
      page('Script tag or import', 'start/script-tag'),
      page('React and Next.js', 'start/react'),
      page('Vue, Nuxt, Svelte', 'start/vue-svelte'),
      page('Shopify', 'start/shopify'),
      page('Any backend', 'start/any-backend'),
      page('Make it yours', 'start/make-it-yours'),
      page('How it works', 'how-it-works'),
      page('Why not a vendor’s tag', 'why'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('Consent', 'guides/consent'),
      page('Tag managers', 'guides/tag-managers'),
      page('Prefetch', 'guides/prefetch'),
      page('From your server', 'guides/from-your-server'),
      page('Testing', 'guides/testing'),
      page('Test your integration', 'guides/test-your-integration'),
      page('Troubleshooting', 'guides/troubleshooting'),
      page('Platforms', 'guides/platforms'),
      page('Migrate', 'migrate'),
    ],
  },
  {
    text: 'Reference',
    items: [
      page('Page', 'reference/page'),
      page('Relay', 'reference/relay'),
      page('Session', 'reference/session'),
      page('Queue', 'reference/queue'),
      page('Commands', 'reference/commands'),
      page('Scenarios', 'reference/scenarios'),
      page('Types', 'reference/types'),
      page('Exports', 'reference/exports'),
      page('Errors', 'errors'),
    ],
  },
  {
    text: 'Production',
    items: [
      page('Checklist', 'operate/production'),
      page('Deployment', 'operate/deployment'),
      page('Failure modes', 'operate/failure-modes'),
      page('Security', 'operate/security'),
      page('Audit', 'operate/audit'),
      page('Data', 'data'),
      page('Accessibility', 'accessibility'),
    ],
  },
  {
    text: 'Operators of a channel',
    items: [
      page('Console and commands', 'operators/'),
      page('Watch', 'operators/watch'),
      page('Metrics', 'operators/metrics'),
      page('Clients', 'operators/clients'),
    ],
  },
  {
    text: 'Administrators of a network',
    collapsed: true,
    items: [
      page('Build a network', 'operators/build-a-network'),
      page('Network', 'operators/network'),
      page('Scale', 'operators/scale'),
      page('Wire format', 'project/wire'),
    ],
  },
  {
    text: 'Project',
    collapsed: true,
    items: [
      page('Versioning', 'project/versioning'),
      page('Measured', 'project/measured'),
      page('Simulation', 'project/simulation'),
      page('Decisions', 'project/decisions'),
    ],
  },
];

export default defineConfig({
  title: 'offerlet',
  description: 'Partner offers on thank-you and order-status pages.',
  lang: 'en',
  srcDir: 'pages',
  base,
  cleanUrls: true,
  vite: { build: { chunkSizeWarningLimit: 2_000 } }, // the page of types is one long page, and loaded when it is read
  head: [
    ['link', { rel: 'icon', href: ICON }],
    ['style', {}, STYLES],
  ],
  // README.md is what GitHub shows for a folder.
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  markdown: {
    languageAlias: { erb: 'html', jinja: 'html', blade: 'html' },
    anchor: { slugify: slugOfGitHub },
    config(markdown) {
      const code = markdown.renderer.rules.code_inline;
      // A long name breaks after a dot, an underscore or a parenthesis, a flag nowhere.
      markdown.renderer.rules.code_inline = (...all) =>
        code(...all).replace(/(?<=>)[\w.()]{20,}(?=<)/, (name) => name.replace(/[._(](?=\w)/g, '$&<wbr>'));
      markdown.core.ruler.push('stacked-tables', ({ tokens }) => labelCells(tokens));
      markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          if (token.type === 'code_inline') token.attrSet('v-pre', ''); // `{{ … }}` is what a template of the reader's says
          if (token.type === 'code_inline' && FLAG.test(token.content)) token.attrSet('class', 'flag');
          const source = token.type === 'image' ? token.attrGet('src') : null;
          // The picture of this version, not of the repository's latest.
          if (source?.startsWith(PICTURES))
            token.attrSet('src', `./${posix.relative(posix.dirname(env.relativePath), source.slice(PICTURES.length))}`);
          const href = token.attrGet('href');
          if (href === null || /^([a-z]+:|#)/.test(href)) continue;
          const target = posix.normalize(posix.join('docs', posix.dirname(env.relativePath), href));
          if (!target.startsWith('docs/')) token.attrSet('href', `${REPOSITORY}/blob/main/${target}`);
          else token.attrSet('href', href.replace('README.md', 'index.md'));
        }
      });
    },
  },
  themeConfig: {
    nav: [
      page('Start', 'start/'),
      page('Reference', 'reference/page'),
      page('Errors', 'errors'),
      { text: 'Playground', link: '/playground/', target: '_self' },
      {
        text: version,
        items: [
          { text: 'Changelog', link: `${REPOSITORY}/blob/main/CHANGELOG.md` },
          { text: 'Other versions', link: VERSIONS },
        ],
      },
    ],
    sidebar,
    outline: [2, 3],
    notFound: {
      quote: 'This version has no such page. Search for it, or choose another version.',
      linkText: 'All pages',
    },
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: SEARCH_OPTIONS },
        // Declarations would be found before the pages that explain them.
        _render: (text, env, md) => (env.relativePath === 'reference/types.md' ? '' : md.render(text, env)),
      },
    },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path` },
  },
});

/** The anchor of a heading as GitHub makes it, so that one link works in both places. */
function slugOfGitHub(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Gives the cells of tables whose rows are too long for a phone the names of their columns. */
function labelCells(tokens) {
  let cells = [];
  for (const [at, { type }] of tokens.entries()) {
    if (type === 'table_open') cells = [];
    if (type === 'th_open' || type === 'td_open') cells.push({ cell: tokens[at], text: tokens[at + 1].content });
    if (type !== 'table_close') continue;
    const names = cells.filter(({ cell }) => cell.type === 'th_open').map(({ text }) => text.replaceAll('`', ''));
    const body = cells.slice(names.length);
    const rows = names.length && body.length / names.length;
    const longest = Math.max(
      ...Array.from({ length: rows }, (_, row) =>
        body.slice(row * names.length, (row + 1) * names.length).reduce((sum, { text }) => sum + text.length, 0),
      ),
    );
    if (names.length < 3 || longest < STACKED_LENGTH) continue;
    for (const [index, { cell }] of body.entries())
      if (names[index % names.length]) cell.attrSet('data-label', names[index % names.length]);
  }
}
