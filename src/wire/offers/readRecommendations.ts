import { URL_MAX_LENGTH, COPY_MAX, RESPONSE_MAX_OFFERS } from '../limits.ts';
import { isLoopbackHost } from '../keys.ts';
import { own, readId, isObject, type Parsed, oneOf, plainText } from '../json.ts';
import type {
  Recommendation,
  RecommendationGroup,
  SafeResponse,
  Footer,
  GroupItem,
  LeftOut,
  PlacedGroup,
  PlacedOffer,
} from './response.ts';

/** Which URLs `safeUrl` accepts besides https. */
interface UrlOptions {
  /** Accepts plain http to this machine, for a sandbox on localhost. */
  readonly allowLoopback?: boolean | undefined;
}

/**
 * Returns the normalized URL when it is safe to show or open: https, no credentials, at most 8 KB. Otherwise `undefined`.
 * Use only the result: the input can hide its scheme behind tabs and newlines.
 */
export function safeUrl(text: unknown, options: UrlOptions = {}): string | undefined {
  if (typeof text !== 'string' || text.length > URL_MAX_LENGTH) return undefined;
  try {
    const { protocol, hostname, username, password, href } = new URL(text);
    const isSafe = protocol === 'https:' || (options.allowLoopback && protocol === 'http:' && isLoopbackHost(hostname));
    return isSafe && !username && !password && href.length <= URL_MAX_LENGTH ? href : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a checked value, or `undefined` when it is not valid. */
type Reader<T> = (value: unknown, options: UrlOptions) => T | undefined;

/** What an object looks like: the reader of each field. */
type Shape = Readonly<Record<string, Reader<unknown>>>;

type Read<S extends Shape, Required extends keyof S> = {
  [Name in keyof S]: Name extends Required ? NonNullable<ReturnType<S[Name]>> : ReturnType<S[Name]>;
};

/** Reads the fields of a shape from an object, or from anything else as if it had none. */
function readFields<S extends Shape>(shape: S, value: unknown, options: UrlOptions): Read<S, never> {
  const read: Record<string, unknown> = {};
  for (const name of Object.keys(shape)) read[name] = shape[name]?.(own(value, name), options);
  return read as Read<S, never>;
}

/** Returns the reader of an object, which is not valid without its required fields. */
function object<S extends Shape, Required extends keyof S>(
  shape: S,
  ...required: readonly Required[]
): Reader<Read<S, Required>> {
  return (value, options) => {
    const read = readFields(shape, value, options);
    return required.every((name) => read[name]) ? (read as Read<S, Required>) : undefined;
  };
}

/** Returns the reader of a list: its valid items, by `insertion_order`. Only the first `max` are read. */
function readList<T extends { insertion_order: number }>(read: Reader<T>, max = Infinity): Reader<T[]> {
  return (value, options) =>
    Array.isArray(value)
      ? value
          .slice(0, max)
          .flatMap((item) => read(item, options) ?? [])
          .sort((a, b) => a.insertion_order - b.insertion_order)
      : undefined;
}

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
const copy: Reader<string> = text(COPY_MAX.subheading);
/** Reads the heading of an offer or a group. */
const heading: Reader<string> = text(COPY_MAX.heading);
/** Reads an identifier; empty when there is no valid one. */
const id = (value: unknown): string => readId(value) ?? '';
/** Reads an `insertion_order`; items without one sort last. */
const insertion_order = (value: unknown): number =>
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
  assets: readList(
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
function readOffer(json: unknown, offerId: string, options: UrlOptions): Recommendation | string {
  const advertiser = readAdvertiser(own(json, 'advertiser'), options);
  const offer = readFields(OFFER, own(json, 'offer'), options);
  const { heading, target_url, cta_details } = offer;
  if (!advertiser) return 'advertiser.name is missing';
  if (!heading) return 'offer.heading is missing';
  if (!target_url) return 'offer.target_url is not a valid https URL';
  if (!cta_details) return 'offer.cta_details.accept_copy or decline_copy is missing';
  return { advertiser, offer: { ...offer, id: offer.id || offerId, heading, target_url, cta_details } };
}

const GROUP = {
  id: readId,
  heading,
  slot_context: (value: unknown) => oneOf(['HERO', 'SCROLLABLE'], value),
};

const readItems = readList(
  object({ insertion_order, insertion_id: readId, offer_id: readId, advertiser_id: id }, 'offer_id'),
);

/**
 * Returns the groups of a response in one form, items sorted by `insertion_order`. Accepts an array of groups, an array of
 * arrays of items, an array of items, a map of arrays with `recommendation_group_properties` beside it, and no groups at
 * all. See docs/project/wire.md#what-the-widget-accepts.
 */
export function readGroups(response: unknown, recommendations: unknown): RecommendationGroup[] {
  const json = own(response, 'recommendation_groups');
  const groups: RecommendationGroup[] = [];

  function add(items: unknown, properties?: unknown, name = `group_${groups.length}`): void {
    const group = readFields(GROUP, properties, {});
    const read = readItems(items, {}) ?? [];
    groups.push({
      ...group,
      id: group.id ?? name,
      items: read.map((item) => ({ ...item, insertion_id: item.insertion_id ?? item.offer_id })),
    });
  }

  if (Array.isArray(json)) {
    const bare = json.filter((entry) => !Array.isArray(entry) && !Array.isArray(own(entry, 'items')));
    for (const entry of json) {
      if (Array.isArray(entry)) add(entry);
      else if (Array.isArray(own(entry, 'items'))) add(own(entry, 'items'), entry);
    }
    if (bare.length > 0) add(bare);
  } else if (isObject(json)) {
    for (const key of Object.keys(json)) {
      const entry = own(json, key);
      const properties = own(own(response, 'recommendation_group_properties'), key);
      add(Array.isArray(entry) ? entry : own(entry, 'items'), properties ?? entry, key);
    }
  }
  // Without groups, the offers are one, in their own order.
  if (!groups[0] && isObject(recommendations)) add(Object.keys(recommendations).map((offer_id) => ({ offer_id })));
  return groups;
}

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

/** Returns the groups with at most `most` offers in all, without empty groups. */
export function firstOffers(groups: readonly PlacedGroup[], most = Infinity): PlacedGroup[] {
  let left = most;
  return groups
    .map((group) => {
      const offers = group.offers.slice(0, left);
      left -= offers.length;
      return { ...group, offers };
    })
    .filter((group) => group.offers.length > 0);
}
