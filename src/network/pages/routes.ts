import type { NetworkContext, NetworkRoute } from '../context.ts';
import type { RouteParams } from '../createFetch.ts';
import { openApiYaml } from '../contract/openapi.ts';
import { pictureResponse, pageResponse, CARD_STYLE } from './pageResponse.ts';
import { getContractPage } from './getContractPage.ts';
import { logo } from './logo.ts';
import { picture } from './picture.ts';
import { escapeMarkup } from './svg.ts';

/** What people and browsers open: pictures, the landing pages of clicks, and the contract. */
export const pageRoutes: readonly NetworkRoute[] = [
  page('/logos/{name}.svg', async (_request, _context, params) => file(logo(params['name'] ?? ''))),
  page('/pictures/{name}.svg', async (_request, _context, params) => file(picture(params['name'] ?? ''))),
  page('/visit/{offer_id}', getVisit),
  page('/privacy', getPrivacy),
  page('/', getContractPage),
  page(
    '/openapi.yaml',
    async () => new Response(openApiYaml(), { headers: { 'content-type': 'application/yaml; charset=utf-8' } }),
  ),
];

function page(
  pattern: string,
  handler: (request: Request, context: NetworkContext, params: RouteParams) => Promise<Response>,
): NetworkRoute {
  return { methods: ['GET', 'HEAD'], pattern, surface: 'page', handler };
}

function file(markup: string | undefined): Response {
  return markup === undefined
    ? Response.json({ message: 'There is no such picture.' }, { status: 404 })
    : pictureResponse(markup);
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

interface Visited {
  readonly heading: string;
  readonly name: string;
  readonly logo_url: string;
  readonly code: string | null;
}

/** The landing page of a click on a demo offer, in place of the advertiser's website. */
async function getVisit(_request: Request, context: NetworkContext, params: RouteParams): Promise<Response> {
  const offerId = params['offer_id'] ?? '';
  const [offer] = await context.db.query<Visited>(
    `SELECT heading, advertisers.name, logo_url, details -> 'metadata' ->> 'code' AS code
     FROM offers JOIN advertisers USING (advertiser_id) WHERE offer_id = $1`,
    [offerId],
  );
  if (!offer) {
    const body = '<main><h1>There is no such offer</h1><p>It may have been deleted from the catalogue.</p></main>';
    return pageResponse({ title: 'No such offer', body, style: CARD_STYLE, status: 404 });
  }
  const { name, heading, logo_url, code } = offer;
  const logo = logo_url.startsWith('/') ? `<img src="${escapeMarkup(logo_url)}" alt="">` : '';
  const promo = code ? `<p>Promo code: <code>${escapeMarkup(code)}</code></p>` : '';
  const body =
    `<main>${logo}<h1>You have arrived at <bdi>${escapeMarkup(name)}</bdi></h1><p dir="auto">${escapeMarkup(heading)}</p>${promo}` +
    '<p class="quiet">In production, the advertiser’s shop opens here. This is a sandbox: nothing is sold, and you can close the page.</p></main>';
  return pageResponse({ title: `You have arrived at ${name}`, body, style: CARD_STYLE });
}
