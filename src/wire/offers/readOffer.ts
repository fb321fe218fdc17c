import { readId } from '../readId.ts';
import { own } from '../json.ts';
import { COPY_MAX } from '../limits.ts';
import { oneOf } from '../oneOf.ts';
import type {
  Advertiser,
  Asset,
  CtaDetails,
  DisclosureDetails,
  Offer,
  OfferMetadata,
  Recommendation,
} from './response.ts';
import { plainText } from '../plainText.ts';
import { safeUrl, type UrlOptions } from '../safeUrl.ts';

/** Maximum images of one offer: more than a card can hold. */
const ASSETS_MAX = 20;

/** Reads one offer, checked and safe to show. Returns the reason as a string when it cannot be shown. */
export function readOffer(json: unknown, offerId: string, options: UrlOptions): Recommendation | string {
  const advertiser = readAdvertiser(own(json, 'advertiser'), options);
  if (!advertiser) return 'advertiser.name is missing';
  const offer = own(json, 'offer');
  const heading = plainText(own(offer, 'heading'), COPY_MAX.heading);
  if (!heading) return 'offer.heading is missing';
  const target_url = safeUrl(own(offer, 'target_url'), options);
  if (!target_url)
    return 'offer.target_url is not a valid https URL (for http on this machine, start the relay with sandbox: true or --sandbox)';
  const cta_details = readCta(own(offer, 'cta_details'));
  if (!cta_details) return 'offer.cta_details.accept_copy or decline_copy is missing';
  const read: Offer = {
    id: readId(own(offer, 'id')) ?? offerId,
    heading,
    subheading: plainText(own(offer, 'subheading'), COPY_MAX.subheading),
    target_url,
    cta_details,
    metadata: readMetadata(own(offer, 'metadata')),
    assets: readAssets(own(offer, 'assets'), options),
    disclosure_details: readDisclosure(own(offer, 'disclosure_details'), options),
  };
  return { advertiser, offer: read };
}

function readAdvertiser(json: unknown, options: UrlOptions): Advertiser | undefined {
  const name = plainText(own(json, 'name'), COPY_MAX.name);
  if (!name) return undefined;
  return {
    id: readId(own(json, 'id')) ?? '',
    name,
    logo_url: safeUrl(own(json, 'logo_url'), options),
    description: plainText(own(json, 'description'), COPY_MAX.subheading),
  };
}

function readCta(json: unknown): CtaDetails | undefined {
  const accept_copy = plainText(own(json, 'accept_copy'), COPY_MAX.cta);
  const decline_copy = plainText(own(json, 'decline_copy'), COPY_MAX.cta);
  if (!accept_copy || !decline_copy) return undefined;
  return {
    accept_copy,
    decline_copy,
    transition_copy: plainText(own(json, 'transition_copy'), COPY_MAX.subheading),
    claimed_accept_copy: plainText(own(json, 'claimed_accept_copy'), COPY_MAX.cta),
    claimed_decline_copy: plainText(own(json, 'claimed_decline_copy'), COPY_MAX.cta),
  };
}

function readMetadata(json: unknown): OfferMetadata | undefined {
  const type = oneOf(['PROMO_CODE', 'NO_PROMO_CODE'], own(json, 'type'));
  if (!type) return undefined;
  return {
    type,
    code: plainText(own(json, 'code'), COPY_MAX.code),
    layout_type: plainText(own(json, 'layout_type'), COPY_MAX.name),
  };
}

function readAssets(json: unknown, options: UrlOptions): Asset[] | undefined {
  if (!Array.isArray(json)) return undefined;
  const assets: Asset[] = [];
  for (const item of json.slice(0, ASSETS_MAX)) {
    const id = readId(own(item, 'id'));
    const asset_type = oneOf(['PRODUCT', 'IMAGE'], own(item, 'asset_type'));
    const image_url = safeUrl(own(item, 'image_url'), options);
    if (!id || !asset_type || !image_url) continue;
    assets.push({
      id,
      asset_type,
      image_url,
      insertion_order: orderOf(item),
      target_url: safeUrl(own(item, 'target_url'), options),
      should_trigger_claim_flow: own(item, 'should_trigger_claim_flow') === true,
    });
  }
  return assets.sort(byOrder);
}

function readDisclosure(json: unknown, options: UrlOptions): DisclosureDetails | undefined {
  const copy = plainText(own(json, 'copy'), COPY_MAX.disclosure);
  if (!copy) return undefined;
  return {
    copy,
    target_url: safeUrl(own(json, 'target_url'), options),
    content: plainText(own(json, 'content'), COPY_MAX.disclosure),
  };
}

/** Returns the `insertion_order` of an item; items without one sort last. */
export function orderOf(item: unknown): number {
  const order = own(item, 'insertion_order');
  return typeof order === 'number' && Number.isFinite(order) ? order : Number.MAX_SAFE_INTEGER;
}

/** Compares by `insertion_order`. */
export function byOrder(a: { insertion_order: number }, b: { insertion_order: number }): number {
  return a.insertion_order - b.insertion_order;
}
