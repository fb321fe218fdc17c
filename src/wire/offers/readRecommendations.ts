import { readGroups } from './readGroups.ts';
import { readId } from '../readId.ts';
import { isObject, own, type Parsed } from '../json.ts';
import { RESPONSE_MAX_OFFERS } from '../limits.ts';
import { copy, readOffer } from './readOffer.ts';
import { object, readFields } from './readFields.ts';
import type { SafeResponse, Footer, GroupItem, LeftOut, PlacedGroup, PlacedOffer, Recommendation } from './response.ts';
import { safeUrl, type UrlOptions } from '../safeUrl.ts';

/** Left-out offers reported one by one: a hostile response must not fill the log. */
const LEFT_OUT_MAX = 50;

const LINK = { copy, target_url: safeUrl };
const readPolicy = object(LINK, 'copy');

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
  /** Each offer is read once, no matter how many items of a hostile response refer to it. */
  const known = new Map<string, Recommendation | string>();

  /** Returns the offer in its place, or the reason why it is left out. */
  function place({ offer_id, advertiser_id, insertion_id }: GroupItem): PlacedOffer | string {
    if (taken.size >= RESPONSE_MAX_OFFERS) return `only the first ${RESPONSE_MAX_OFFERS} offers of a response are used`;
    if (taken.has(insertion_id)) return 'insertion_id is already used by an earlier offer';
    const found = own(recommendations, offer_id);
    const read =
      known.get(offer_id) ??
      (found === undefined ? 'offer_id is not in recommendations' : readOffer(found, offer_id, options));
    known.set(offer_id, read);
    if (typeof read === 'string') return read;
    advertiser_id ||= read.advertiser.id;
    // The network would refuse its events, which must name the advertiser.
    if (!advertiser_id) return 'advertiser.id is missing';
    taken.add(insertion_id);
    return { offer_id, advertiser_id, insertion_id, ...read };
  }

  for (const { items, ...group } of readGroups(json, recommendations)) {
    const offers: PlacedOffer[] = [];
    for (const item of items) {
      const placed = place(item);
      if (typeof placed !== 'string') offers.push(placed);
      else if (left_out.length < LEFT_OUT_MAX) left_out.push({ offer_id: item.offer_id, reason: placed });
    }
    if (offers[0]) groups.push({ ...group, offers });
  }
  const footer = readFooter(own(json, 'footer'), options);
  return { ok: true, value: { session_id, groups, footer, sandbox: own(json, 'sandbox') === true, left_out } };
}

function fail(path: string, message: string): Parsed<SafeResponse> {
  return { ok: false, problems: [{ path, message }] };
}

function readFooter(json: unknown, options: UrlOptions): Footer {
  const footer: Footer = {};
  const attribution = own(json, 'attribution_details');
  const brand = readFields(LINK, attribution, options);
  const logo_url = readLogo(attribution, options);
  if (brand.copy || logo_url) footer.attribution_details = { ...brand, copy: brand.copy ?? '', logo_url };
  const privacy_policy = readPolicy(own(json, 'privacy_policy'), options);
  if (privacy_policy) footer.privacy_policy = privacy_policy;
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
