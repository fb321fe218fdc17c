// Runs common searches against the index of the built site.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './.vitepress/searchOptions.mjs';

/** What readers type, and the section that has to come first. */
const SEARCHES = {
  consent: '/guides/consent',
  csp: '/operate/security#content-security-policy',
  'dark mode': '/reference/page#dark-mode',
  'test mode': '/guides/test-your-integration#test-mode',
  401: '/errors',
  429: '/errors',
  'rate limit': '/reference/relay#limits',
  react: '/start/react',
  'next.js': '/start/react',
  vue: '/start/vue-svelte',
  shopify: '/start/shopify',
  npm: '/start/',
  'script tag': '/start/script-tag',
  'offers not showing': '/guides/troubleshooting',
  playwright: '/guides/testing#playwright',
  'custom properties': '/reference/page#theming',
  'layout shift': '/reference/page#space-for-inline',
  spa: '/reference/page#single-page-apps',
  docker: '/operate/deployment#docker',
  'rotate key': '/operate/production#rotate-the-key',
  gdpr: '/data#deletion-and-access-gdpr',
  translate: '/reference/page#messages',
  'server-side rendering': '/guides/prefetch',
  ssr: '/guides/prefetch',
  express: '/reference/relay#mounting',
  fastify: '/reference/relay#mounting',
  invalid_config: '/errors#outcomes',
  'exit code': '/errors#commands',
  phone: '/data#fields',
  cookies: '/data#cookies-and-storage-on-the-device',
  'browser support': '/data#browser-support',
  typescript: '/reference/page#element',
  rtl: '/reference/page#messages',
  ctr: '/operators/metrics',
};

/** Returns a line for each search whose first result is another section than the one that readers look for. `base` is where the site is published. */
export async function misledSearches(built, base) {
  const chunks = join(built, 'assets', 'chunks');
  const [file] = readdirSync(chunks).filter((name) => name.startsWith('@localSearchIndex'));
  if (file === undefined) return ['The site has no search index.'];
  const { default: json } = await import(pathToFileURL(join(chunks, file)).href);
  const index = MiniSearch.loadJSON(json, {
    fields: ['title', 'titles', 'text'],
    storeFields: ['title', 'titles'],
    searchOptions: SEARCH_OPTIONS,
  });
  return Object.entries(SEARCHES).flatMap(([query, wanted]) => {
    const found = index.search(query).map(({ id }) => `/${id.slice(base.length)}`);
    const isFirst = found[0] === wanted || found[0]?.startsWith(`${wanted}#`);
    return isFirst ? [] : `"${query}" finds ${found.slice(0, 3).join(', ') || 'nothing'} instead of ${wanted}`;
  });
}
