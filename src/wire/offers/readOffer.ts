import { plainText } from '../plainText.ts';
import { own } from '../json.ts';
import { COPY_MAX } from '../limits.ts';
import { oneOf } from '../oneOf.ts';
import { readId } from '../readId.ts';
import { safeUrl, type UrlOptions } from '../safeUrl.ts';
import { listOf, object, readFields, type Reader } from './readFields.ts';
import type { Recommendation } from './response.ts';

/** Maximum images of one offer: more than a card can hold. */
const ASSETS_MAX = 20;

const ASSET_TYPES = ['PRODUCT', 'IMAGE'] as const;
const PROMOTIONS = ['PROMO_CODE', 'NO_PROMO_CODE'] as const;

const text =
  (max: number): Reader<string> =>
  (value) =>
    plainText(value, max);

/** A name, a promo code or a layout. */
const name = text(COPY_MAX.name);
const cta = text(COPY_MAX.cta);
const disclosure = text(COPY_MAX.disclosure);
/** Reads copy of up to a few sentences. */
export const copy: Reader<string> = text(COPY_MAX.subheading);
/** Reads the heading of an offer or a group. */
export const heading: Reader<string> = text(COPY_MAX.heading);
/** Reads an identifier; empty when there is no valid one. */
export const id = (value: unknown): string => readId(value) ?? '';
/** Reads an `insertion_order`; items without one sort last. */
export const insertion_order = (value: unknown): number =>
  Number.isFinite(value) ? (value as number) : Number.MAX_SAFE_INTEGER;

const readAdvertiser = object({ id, name, logo_url: safeUrl, description: copy }, 'name');

const OFFER = {
  id,
  heading,
  subheading: copy,
  target_url: safeUrl,
  cta_details: object(
    {
      accept_copy: cta,
      decline_copy: cta,
      transition_copy: copy,
      claimed_accept_copy: cta,
      claimed_decline_copy: cta,
    },
    'accept_copy',
    'decline_copy',
  ),
  metadata: object({ type: (value) => oneOf(PROMOTIONS, value), code: text(COPY_MAX.code), layout_type: name }, 'type'),
  assets: listOf(
    object(
      {
        id: readId,
        asset_type: (value) => oneOf(ASSET_TYPES, value),
        image_url: safeUrl,
        insertion_order,
        target_url: safeUrl,
        should_trigger_claim_flow: (value) => value === true,
      },
      'id',
      'asset_type',
      'image_url',
    ),
    ASSETS_MAX,
  ),
  disclosure_details: object({ copy: disclosure, target_url: safeUrl, content: disclosure }, 'copy'),
};

/** Reads one offer, checked and safe to show. Returns the reason as a string when it cannot be shown. */
export function readOffer(json: unknown, offerId: string, options: UrlOptions): Recommendation | string {
  const advertiser = readAdvertiser(own(json, 'advertiser'), options);
  const offer = readFields(OFFER, own(json, 'offer'), options);
  const { heading, target_url, cta_details } = offer;
  if (!advertiser) return 'advertiser.name is missing';
  if (!heading) return 'offer.heading is missing';
  if (!target_url)
    return 'offer.target_url is not a valid https URL (for http on this machine, start the relay with sandbox: true or --sandbox)';
  if (!cta_details) return 'offer.cta_details.accept_copy or decline_copy is missing';
  return { advertiser, offer: { ...offer, id: offer.id || offerId, heading, target_url, cta_details } };
}
