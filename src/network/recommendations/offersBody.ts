import type { Footer, GroupItem, Offer, Recommendation, RecommendationResponse } from '../../wire/offers/response.ts';
import { networkTexts, type NetworkTexts } from './networkTexts.ts';
import type { OfferRow } from './offerRow.ts';

/** An offer shown in one session. */
export interface Insertion {
  readonly insertion_id: string;
  readonly offer: OfferRow;
}

/** What the response contains besides its offers. */
export interface OffersBodyOptions {
  readonly session_id: string;
  readonly is_sandbox: boolean;
  /** The base of URLs that the network serves itself. */
  readonly baseUrl: string;
  /** The language of the page, where the request says it. */
  readonly language?: string | undefined;
}

/** The response body of POST /recommendations (docs/wire.md#offers). */
export function offersBody(insertions: readonly Insertion[], options: OffersBodyOptions): RecommendationResponse {
  const items = insertions.map(({ insertion_id, offer }, insertion_order): GroupItem => {
    return { insertion_order, insertion_id, offer_id: offer.offer_id, advertiser_id: offer.advertiser_id };
  });
  const texts = networkTexts(options.language);
  return {
    session_id: options.session_id,
    recommendations: Object.fromEntries(
      insertions.map(({ offer }) => [offer.offer_id, recommendationOf(offer, options)]),
    ),
    recommendation_groups:
      items.length === 0 ? [] : [{ id: 'group_0', heading: texts.heading, slot_context: 'HERO', items }],
    footer: footer(options.baseUrl, texts),
    ...(options.is_sandbox ? { sandbox: true } : {}),
  };
}

function recommendationOf(row: OfferRow, { baseUrl, is_sandbox }: OffersBodyOptions): Recommendation {
  const { assets, disclosure_details, language: _language, ...details } = row.details;
  const offer: Offer & { is_sandbox?: true } = {
    id: row.offer_id,
    heading: row.heading,
    ...details,
    target_url: absoluteUrl(row.target_url, baseUrl),
    ...(assets ? { assets: assets.map((asset) => withAbsoluteUrls(asset, ['image_url', 'target_url'], baseUrl)) } : {}),
    ...(disclosure_details
      ? { disclosure_details: withAbsoluteUrls(disclosure_details, ['target_url'], baseUrl) }
      : {}),
    ...(is_sandbox ? { is_sandbox: true } : {}),
  };
  const advertiser = { id: row.advertiser_id, name: row.advertiser_name, logo_url: absoluteUrl(row.logo_url, baseUrl) };
  return { advertiser: row.description === null ? advertiser : { ...advertiser, description: row.description }, offer };
}

function footer(baseUrl: string, texts: NetworkTexts): Footer {
  return {
    attribution_details: {
      copy: texts.attribution,
      logo_url: `${baseUrl}/logos/network.svg`,
      target_url: `${baseUrl}/`,
    },
    privacy_policy: { copy: texts.privacy, target_url: `${baseUrl}/privacy` },
  };
}

function absoluteUrl(url: string, baseUrl: string): string {
  return url.startsWith('/') ? baseUrl + url : url;
}

function withAbsoluteUrls<T extends object>(value: T, fields: readonly (keyof T)[], baseUrl: string): T {
  const copy = { ...value };
  for (const field of fields) {
    const url = copy[field];
    if (typeof url === 'string') copy[field] = absoluteUrl(url, baseUrl) as T[typeof field];
  }
  return copy;
}
