import { randomUUID } from 'node:crypto';
import { RecommendationsClient, type EventReport } from 'offerlet/client';
import { refuseForeign } from '../../http/refuseForeign.ts';
import { parseJson, readCapped, readId, own } from '../../wire/json.ts';
import type { NetworkContext, RouteParams } from '../context.ts';
import {
  CLICK_REFERENCE,
  readClickReference,
  withClickReference,
  type Click,
} from '../recommendations/clickReference.ts';
import { CARD_STYLE, escapeMarkup, pageResponse } from './page.ts';

/** What the shopper buys from the advertiser. */
const PURCHASE = { amount: '39.00', currency_code: 'EUR' };
/** Bytes of the form that are read. */
const FORM_MAX = 4_096;

interface Visited {
  readonly heading: string;
  readonly name: string;
  readonly logo_url: string;
  readonly code: string | null;
}

/** GET `/visit/{offer_id}`: the advertiser's shop, where a click lands. With the reference of the click, it sells. */
export async function getVisit(request: Request, context: NetworkContext, params: RouteParams): Promise<Response> {
  const offer = await readOffer(context, params);
  if (!offer) return noSuchOffer();
  const reference = new URL(request.url).searchParams.get(CLICK_REFERENCE);
  const click = readClickReference(reference);
  const promo = offer.code ? `<p>Promo code: <code>${escapeMarkup(offer.code)}</code></p>` : '';
  const sale =
    context.controls && click
      ? `<form method="post"><input type="hidden" name="order_id" value="${randomUUID()}"><button>Buy for ${PURCHASE.amount} ${PURCHASE.currency_code}</button></form>` +
        '<p class="quiet">In production, the advertiser’s own shop opens here. This one belongs to the sandbox: nothing is sold, but its server reports the sale to the network, with the reference of your click.</p>'
      : `<p class="quiet">In production, the advertiser’s shop opens here. This is a sandbox: nothing is sold, and you can close the page.${reference === null ? '' : ` The reference in this URL (${CLICK_REFERENCE}) is not one of this network, so no sale can be reported.`}</p>`;
  return shopPage(
    offer,
    `You have arrived at <bdi>${escapeMarkup(offer.name)}</bdi>`,
    `<p dir="auto">${escapeMarkup(offer.heading)}</p>${promo}${sale}`,
  );
}

/** POST `/visit/{offer_id}`: the shopper has bought. The advertiser's server reports the conversion, as it would in production. */
export async function postVisit(request: Request, context: NetworkContext, params: RouteParams): Promise<Response> {
  const offer = await readOffer(context, params);
  if (!offer) return noSuchOffer();
  const click = readClickReference(new URL(request.url).searchParams.get(CLICK_REFERENCE));
  const bytes = await readCapped(request.body, FORM_MAX);
  const order_id = readId(new URLSearchParams(new TextDecoder().decode(bytes)).get('order_id'));
  if (!click || click.offer_id !== params['offer_id'] || !order_id || !context.controls)
    return shopPage(offer, 'The sale was not reported', `<p>${NO_REFERENCE}</p>`, 400);
  const { title, text, status } = pageTexts(await reportSale(context, click, order_id));
  return shopPage(offer, title, `<p>${escapeMarkup(text)}</p>`, status);
}

const NO_REFERENCE =
  'This URL has no valid reference of a click (click_ref), so the sale belongs to nobody. Open the page by accepting an offer.';

/** Reports the sale over the network's own interface, like any advertiser's server. */
async function reportSale(context: NetworkContext, click: Click, order_id: string): Promise<EventReport> {
  const client = new RecommendationsClient({
    // The request stays in this process: the host of the request that came in may be anybody's.
    networkUrl: 'http://127.0.0.1',
    fetch: async (url, init) => context.controls?.call(new Request(url, init)) ?? Response.error(),
    apiKey: context.controls?.integrationKey() ?? '',
    version: '1.0.0',
  });
  const event_datetime = (await context.now()).toISOString();
  const { session_id } = click;
  return client.reportConversion({
    session_id,
    insertion: click,
    conversion_id: order_id,
    order_id,
    event_datetime,
    ...PURCHASE,
  });
}

function pageTexts(report: EventReport): { title: string; text: string; status: number } {
  switch (report.status) {
    case 'stored':
    case 'duplicate':
      return {
        title: 'Thank you for your order',
        text: 'This shop’s server has reported the sale, and the network has stored it: once, however often this page is reloaded. If the order counts, it is in the report now. The sale of a test order is stored as well, but test orders never earn.',
        status: 200,
      };
    case 'refused':
      return {
        title: 'The sale was not accepted',
        text: `The network refuses the conversion (${report.code}): ${report.message}.`,
        status: 422,
      };
    case 'unknown':
      return {
        title: 'The sale may not be reported',
        text: `${report.error.message} Reload the page to try again.`,
        status: 502,
      };
  }
}

/** GET `/visit`: redirects to where the last click landed, for the sandbox's own pages. */
export async function getLastVisit(request: Request, context: NetworkContext): Promise<Response> {
  const { controls, db, ip, networkUrl } = context;
  const foreign = controls && refuseForeign(request, { ip, hosts: controls.hosts, allowVisits: true });
  if (foreign) return foreign;
  const [last] = controls
    ? await db.query<{ body: string }>(
        "SELECT body FROM events WHERE event_name = 'BRAND_CLICK' ORDER BY received_at DESC, arrival DESC LIMIT 1",
      )
    : [];
  const event = parseJson(last?.body ?? '');
  const brand = own(event, 'brand_properties');
  const [session_id, offer_id, advertiser_id, insertion_id] = [
    own(event, 'session_id'),
    ...['offer_id', 'advertiser_id', 'insertion_id'].map((name) => own(brand, name)),
  ].map(readId);
  if (!session_id || !offer_id || !advertiser_id || !insertion_id) {
    const body = '<main><h1>Nobody has accepted an offer yet</h1><p>Accept one in the shop, then come back.</p></main>';
    return pageResponse({ title: 'No click yet', body, style: CARD_STYLE, status: 404 });
  }
  const click = { session_id, offer_id, advertiser_id, insertion_id };
  const location = withClickReference(`${networkUrl}/visit/${encodeURIComponent(offer_id)}`, click);
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
}

async function readOffer({ db }: NetworkContext, params: RouteParams): Promise<Visited | undefined> {
  const [offer] = await db.query<Visited>(
    `SELECT heading, advertisers.name, logo_url, details -> 'metadata' ->> 'code' AS code
     FROM offers JOIN advertisers USING (advertiser_id) WHERE offer_id = $1`,
    [params['offer_id'] ?? ''],
  );
  return offer;
}

function noSuchOffer(): Response {
  const body = '<main><h1>There is no such offer</h1><p>It may have been deleted from the catalogue.</p></main>';
  return pageResponse({ title: 'No such offer', body, style: CARD_STYLE, status: 404 });
}

/** `title` and `body` are markup. */
function shopPage({ name, logo_url }: Visited, title: string, body: string, status = 200): Response {
  const logo = logo_url.startsWith('/') ? `<img src="${escapeMarkup(logo_url)}" alt="">` : '';
  return pageResponse({
    title: `${name}: ${status === 200 ? 'sandbox shop' : 'sale not reported'}`,
    body: `<main>${logo}<h1>${title}</h1>${body}</main>`,
    style: `${CARD_STYLE}${BUTTON_STYLE}`,
    status,
    hasForm: true,
  });
}

const BUTTON_STYLE = `
form { margin: 0 0 1.25rem; }
button { font: inherit; font-weight: 600; padding: .625rem 1.25rem; border: 0; border-radius: .625rem; background: var(--accent); color: var(--card); cursor: pointer; }
button:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
`;
