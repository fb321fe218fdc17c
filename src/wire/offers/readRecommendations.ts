import { readGroups } from './readGroups.ts';
import { readId } from '../readId.ts';
import { isObject, own, type JsonObject, type Parsed } from '../json.ts';
import { RESPONSE_MAX_OFFERS, COPY_MAX } from '../limits.ts';
import { readOffer } from './readOffer.ts';
import type { SafeResponse, Footer, GroupItem, LeftOut, PlacedGroup, PlacedOffer, Recommendation } from './response.ts';
import { plainText } from '../plainText.ts';
import { safeUrl, type UrlOptions } from '../safeUrl.ts';

/** Left-out offers reported one by one: a hostile response must not fill the log. */
const LEFT_OUT_MAX = 50;

/**
 * Reads a network's response: what can be shown, in order, and what cannot, and why. One bad offer never affects the
 * others. Fails only when events could not be attributed: not an object, or no `session_id`.
 */
export function readRecommendations(json: unknown, options: UrlOptions = {}): Parsed<SafeResponse> {
  const session_id = readId(own(json, 'session_id'));
  const recommendations = own(json, 'recommendations') ?? {};
  if (!isObject(json)) return fail('', 'the response must be a JSON object');
  if (!session_id) return fail('session_id', 'must be a non-empty string');
  if (!isObject(recommendations)) return fail('recommendations', 'must be an object keyed by offer_id');

  const left_out: LeftOut[] = [];
  const groups: PlacedGroup[] = [];
  const taken = new Set<string>();
  const readOnce = offerReader(recommendations, options);
  for (const { id, heading, slot_context, items } of readGroups(json, recommendations)) {
    const offers: PlacedOffer[] = [];
    for (const item of items) {
      const placed = placeOffer(item, taken, readOnce);
      if (typeof placed !== 'string') offers.push(placed);
      else if (left_out.length < LEFT_OUT_MAX) left_out.push({ offer_id: item.offer_id, reason: placed });
    }
    if (offers.length > 0) groups.push({ id, heading, slot_context, offers });
  }
  const footer = readFooter(own(json, 'footer'), options);
  return { ok: true, value: { session_id, groups, footer, sandbox: own(json, 'sandbox') === true, left_out } };
}

type ReadOnce = (offerId: string) => Recommendation | string;

/** Reads each offer once, no matter how many items of a hostile response refer to it. */
function offerReader(recommendations: JsonObject, options: UrlOptions): ReadOnce {
  const done = new Map<string, Recommendation | string>();
  return (offerId) => {
    if (!Object.hasOwn(recommendations, offerId)) return 'offer_id is not in recommendations';
    const read = done.get(offerId) ?? readOffer(own(recommendations, offerId), offerId, options);
    done.set(offerId, read);
    return read;
  };
}

/** Returns the offer in its place, or the reason why it is left out. */
function placeOffer(item: GroupItem, taken: Set<string>, readOnce: ReadOnce): PlacedOffer | string {
  const { insertion_id, offer_id } = item;
  if (taken.size >= RESPONSE_MAX_OFFERS) return `only the first ${RESPONSE_MAX_OFFERS} offers of a response are used`;
  if (taken.has(insertion_id)) return 'insertion_id is already used by an earlier offer';
  const read = readOnce(offer_id);
  if (typeof read === 'string') return read;
  const advertiser_id = item.advertiser_id || read.advertiser.id;
  // The network would refuse its events, which must name the advertiser.
  if (!advertiser_id) return 'advertiser.id is missing';
  taken.add(insertion_id);
  return { insertion_id, offer_id, advertiser_id, advertiser: read.advertiser, offer: read.offer };
}

function fail(path: string, message: string): Parsed<SafeResponse> {
  return { ok: false, problems: [{ path, message }] };
}

function readFooter(json: unknown, options: UrlOptions): Footer {
  const footer: Footer = {};
  const attribution = own(json, 'attribution_details');
  const brand = plainText(own(attribution, 'copy'), COPY_MAX.subheading);
  const logo_url = readLogo(attribution, options);
  if (brand || logo_url) {
    footer.attribution_details = {
      copy: brand ?? '',
      logo_url,
      target_url: safeUrl(own(attribution, 'target_url'), options),
    };
  }
  const privacy = own(json, 'privacy_policy');
  const copy = plainText(own(privacy, 'copy'), COPY_MAX.subheading);
  if (copy) footer.privacy_policy = { copy, target_url: safeUrl(own(privacy, 'target_url'), options) };
  return footer;
}

/** Networks put their own name into the key, so any key that ends in `logo_url` is accepted. */
function readLogo(attribution: unknown, options: UrlOptions): string | undefined {
  for (const key of isObject(attribution) ? Object.keys(attribution) : []) {
    const url = key.endsWith('logo_url') ? safeUrl(own(attribution, key), options) : undefined;
    if (url) return url;
  }
  return undefined;
}
