import type { NetworkContext } from '../context.ts';
import type { RouteParams } from '../http/route.ts';
import { pageResponse, CARD_STYLE } from './pageResponse.ts';
import { escapeMarkup } from './svg.ts';

interface Visited {
  readonly heading: string;
  readonly name: string;
  readonly logo_url: string;
  readonly code: string | null;
}

/** The landing page of a click on a demo offer, in place of the advertiser's website. */
export async function getVisit(_request: Request, context: NetworkContext, params: RouteParams): Promise<Response> {
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
