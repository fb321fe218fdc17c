// The site is docs/ as it is: pages, links and pictures work on GitHub too. Links that leave docs/ lead to the repository.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { SEARCH_OPTIONS } from './searchOptions.mjs';

const REPOSITORY = 'https://github.com/offerlet/offerlet';
/** Where pages of the registry and GitHub find the pictures of docs/. */
const PICTURES = `${REPOSITORY}/raw/main/docs/`;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'));
/** Where the site is published: one folder for each version, `OFFERLET_SITE_BASE=/offerlet/v1.2/`. */
const base = process.env.OFFERLET_SITE_BASE ?? '/';

/** Tables of long names leave room for the text beside them, and fit more of it on a phone. */
const TABLES = `.vp-doc td{vertical-align:top}.vp-doc td:last-child{min-width:11em}
.vp-doc code{-webkit-box-decoration-break:clone;box-decoration-break:clone}
@media (width < 640px){.vp-doc th,.vp-doc td{padding:6px 8px}.vp-doc td:last-child{min-width:9em}}`;

const page = (text, link) => ({ text, link: `/${link}` });
const sidebar = [
  {
    text: 'Start',
    items: [
      page('Choose your platform', 'start/'),
      page('Script tag', 'start/script-tag'),
      page('npm', 'start/npm'),
      page('React and Next.js', 'start/react'),
      page('Vue, Nuxt, Svelte', 'start/vue-svelte'),
      page('Shopify', 'start/shopify'),
      page('Any backend', 'start/any-backend'),
      page('How it works', 'how-it-works'),
    ],
  },
  {
    text: 'Guides',
    items: [
      page('Consent', 'guides/consent'),
      page('Prefetch', 'guides/prefetch'),
      page('Testing', 'guides/testing'),
      page('Test your integration', 'guides/test-your-integration'),
      page('Troubleshooting', 'guides/troubleshooting'),
      page('Platforms', 'guides/platforms'),
      page('Sandbox', 'guides/sandbox'),
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
      page('Exports', 'reference/exports'),
      page('Errors', 'errors'),
    ],
  },
  {
    text: 'Operate',
    items: [
      page('Production', 'operate/production'),
      page('Deployment', 'operate/deployment'),
      page('Security', 'operate/security'),
      page('Audit', 'operate/audit'),
      page('Data', 'data'),
    ],
  },
  {
    text: 'Operators',
    items: [
      page('Console and commands', 'operators/'),
      page('Watch', 'operators/watch'),
      page('Reports', 'operators/reports'),
      page('Metrics', 'operators/metrics'),
      page('Clients', 'operators/clients'),
      page('Network', 'operators/network'),
      page('Scale', 'operators/scale'),
    ],
  },
  {
    text: 'Project',
    collapsed: true,
    items: [
      page('Wire format', 'project/wire'),
      page('Rules', 'project/rules'),
      page('Versioning', 'project/versioning'),
      page('Measured', 'project/measured'),
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
  head: [['style', {}, TABLES]],
  // README.md is what GitHub shows for a folder.
  rewrites: { 'README.md': 'index.md', ':folder/README.md': ':folder/index.md' },
  markdown: {
    languageAlias: { erb: 'html', jinja: 'html', blade: 'html' },
    anchor: { slugify: slugOfGitHub },
    config(markdown) {
      const code = markdown.renderer.rules.code_inline;
      // A long name breaks after a dot.
      markdown.renderer.rules.code_inline = (...all) =>
        code(...all).replace(/(?<=>)[\w.]{20,}(?=<)/, (name) => name.replace(/\.(?=\w)/g, '.<wbr>'));
      markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          if (token.type === 'code_inline') token.attrSet('v-pre', ''); // `{{ … }}` is what a template of the reader's says
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
      {
        text: version,
        items: [
          { text: 'Changelog', link: `${REPOSITORY}/blob/main/CHANGELOG.md` },
          { text: 'Other versions', link: `${REPOSITORY}/releases` },
        ],
      },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: { searchOptions: SEARCH_OPTIONS },
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
