import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NetworkContext, NetworkRoute, RouteParams } from '../context.ts';
import { CONTRACT, openApiYaml } from '../openapi.ts';
import { CARD_STYLE, escapeMarkup, pageResponse } from './page.ts';
import { getLastVisit, getVisit, postVisit } from './visit.ts';

/** What people and browsers open: pictures, the landing pages of clicks, and the contract. */
export const pageRoutes: readonly NetworkRoute[] = [
  page('/logos/{name}.svg', (_request, _context, params) => getImage('logos', params)),
  page('/pictures/{name}.svg', (_request, _context, params) => getImage('pictures', params)),
  page('/visit', getLastVisit),
  page('/visit/{offer_id}', getVisit),
  { methods: ['POST'], pattern: '/visit/{offer_id}', surface: 'page', handler: postVisit },
  page('/privacy', getPrivacy),
  page('/', getFront),
  page('/openapi.yaml', serveContract()),
];

/** Anybody may open the contract, and writing it takes milliseconds: once for all. */
function serveContract(): () => Promise<Response> {
  let yaml: string | undefined;
  return async () =>
    new Response((yaml ??= openApiYaml()), { headers: { 'content-type': 'application/yaml; charset=utf-8' } });
}

function page(
  pattern: string,
  handler: (request: Request, context: NetworkContext, params: RouteParams) => Promise<Response>,
): NetworkRoute {
  return { methods: ['GET', 'HEAD'], pattern, surface: 'page', handler };
}

/** A logo of an advertiser or a picture in an offer, which any page may show. The build copies the files. */
async function getImage(folder: 'logos' | 'pictures', { name = '' }: RouteParams): Promise<Response> {
  const path = join(import.meta.dirname, 'images', folder, `${name}.svg`);
  const markup = /^[a-z0-9-]+$/.test(name) ? await readFile(path, 'utf8').catch(() => undefined) : undefined;
  if (markup === undefined) return Response.json({ message: 'There is no such picture.' }, { status: 404 });
  return new Response(markup, {
    headers: {
      'content-type': 'image/svg+xml; charset=utf-8',
      // An SVG that is opened on its own is a document; it must not be able to run anything.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=3600',
    },
  });
}

/** The privacy page to which the footer of the offers links. */
async function getPrivacy(): Promise<Response> {
  const body =
    '<main><h1>Privacy in the sandbox</h1>' +
    '<p>This network runs on the machine of the person who started it and sends nothing anywhere.</p>' +
    '<p>About a shopper it stores whether the request had an email address, never the address or another identifier, and the events of the session under random ids.</p>' +
    '<p class="quiet">In production, the network’s privacy policy is here.</p></main>';
  return pageResponse({ title: 'Privacy', body, style: CARD_STYLE });
}

/** What a browser finds at the network's URL. */
async function getFront(): Promise<Response> {
  const { title, description } = CONTRACT.info;
  const body =
    `<main><h1>${escapeMarkup(title)}</h1><p>${escapeMarkup(description).replace('x-api-key', '<code>$&</code>')}</p>` +
    '<p><a href="/openapi.yaml">openapi.yaml</a> describes every endpoint, for people and for tools.</p></main>';
  return pageResponse({ title, body, style: CARD_STYLE });
}
