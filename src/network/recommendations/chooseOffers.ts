import type { Asset, CtaDetails, DisclosureDetails, OfferMetadata } from '../../wire/offers/response.ts';
import type { Queries } from '../database/database.ts';
import { createHash } from 'node:crypto';

/** The fields of an offer that no query reads. */
interface OfferDetails {
  /** The ISO 639 code of its texts; an offer without one is for everybody. Not sent to the page. */
  readonly language?: string;
  readonly subheading?: string;
  readonly cta_details: CtaDetails;
  readonly metadata?: OfferMetadata;
  readonly assets?: readonly Asset[];
  readonly disclosure_details?: DisclosureDetails;
}

/** An offer of the catalogue with its advertiser. Money is exact decimal text. */
export interface OfferRow {
  readonly offer_id: string;
  readonly advertiser_id: string;
  readonly advertiser_name: string;
  readonly logo_url: string;
  readonly description: string | null;
  readonly subcategory_id: string;
  readonly heading: string;
  readonly target_url: string;
  readonly details: OfferDetails;
  readonly price_per_conversion: string;
  readonly weight: string;
  readonly active: boolean;
  /** Whether its budget covers another conversion. */
  readonly in_budget: boolean;
}

/** The whole catalogue without deleted offers, in a stable order. */
export function readCatalogue(db: Queries): Promise<OfferRow[]> {
  return db.hot<OfferRow>(
    `SELECT offer_id, advertiser_id, a.name AS advertiser_name, logo_url, description, subcategory_id, heading, target_url, details,
       price_per_conversion, weight, active, (budget IS NULL OR spent + price_per_conversion <= budget) AS in_budget
     FROM offers JOIN advertisers a USING (advertiser_id) WHERE deleted_at IS NULL ORDER BY offer_id COLLATE "C"`,
  );
}

/** Maximum offers in one response: more than a shopper pages through. */
const MAX_OFFERS = 10;
/** The value of an offer without one: it is still shown now and then. */
const LEAST_VALUE = 0.000_001;

/** Why an offer was shown or not in one session. */
export interface OfferExplanation {
  readonly offer_id: string;
  readonly advertiser: string;
  readonly heading: string;
  readonly shown: boolean;
  readonly reason: 'shown' | 'inactive' | 'budget_spent' | 'subcategory_excluded' | 'other_language' | 'outdrawn';
  /** The reason as a sentence. */
  readonly message: string;
  /** Price per conversion times weight. */
  readonly expected_value: number;
  /** The offer's random number between 0 and 1 in this session: the SHA-256 of `session_id:offer_id` as a fraction. */
  readonly draw: number;
  /** -ln(draw) / expected_value. The offers with the lowest ranks are shown, so each is shown in proportion to its value. */
  readonly rank: number;
  /** Its position among the shown offers, which are ordered by expected value. */
  readonly position?: number;
}

/** The offers to show, in order, and an explanation for every offer of the catalogue. */
interface OfferChoice {
  readonly shown: readonly OfferRow[];
  readonly explanations: readonly OfferExplanation[];
}

/**
 * Draws offers at random, weighted by expected value, so that every offer of the catalogue is shown sometimes; then orders
 * them by expected value. Offers in the language of the request come first, and none are in another. The session seeds the draw: the same session always gets the same offers.
 */
export function chooseOffers(
  catalogue: readonly OfferRow[],
  session: {
    session_id: string;
    exclusions: ReadonlySet<string>;
    language?: string | undefined;
    maxOffers?: number | undefined;
  },
): OfferChoice {
  const language = primaryLanguage(session.language);
  const maxOffers = Math.min(MAX_OFFERS, session.maxOffers ?? MAX_OFFERS);
  const drawn = catalogue.map((offer) => {
    const expected_value = Number(offer.price_per_conversion) * Number(offer.weight);
    const draw = drawFor(session.session_id, offer.offer_id);
    const rank = -Math.log(draw) / Math.max(expected_value, LEAST_VALUE);
    const isNative = Number(language !== undefined && offer.details.language === language);
    return { offer, expected_value, draw, rank, isNative, obstacle: obstacleOf(offer, session.exclusions, language) };
  });
  const eligible = drawn
    .filter(({ obstacle }) => obstacle === undefined)
    .toSorted((a, b) => b.isNative - a.isNative || a.rank - b.rank);
  const shown = eligible
    .slice(0, maxOffers)
    .toSorted((a, b) => b.isNative - a.isNative || b.expected_value - a.expected_value || a.rank - b.rank);
  const explanations = drawn.map((entry): OfferExplanation => {
    const position = shown.indexOf(entry);
    const reason = entry.obstacle ?? (position < 0 ? 'outdrawn' : 'shown');
    const { offer, expected_value, draw, rank } = entry;
    return {
      offer_id: offer.offer_id,
      advertiser: offer.advertiser_name,
      heading: offer.heading,
      shown: position >= 0,
      reason,
      message: reason === 'outdrawn' ? outdrawnBy(maxOffers) : MESSAGES[reason],
      expected_value,
      draw,
      rank,
      ...(position < 0 ? {} : { position }),
    };
  });
  return { shown: shown.map(({ offer }) => offer), explanations };
}

const MESSAGES: Readonly<Record<Exclude<OfferExplanation['reason'], 'outdrawn'>, string>> = {
  shown: 'The offer is eligible and had one of the best draws in this session.',
  inactive: 'The offer is not active.',
  budget_spent: 'The budget does not cover another conversion.',
  subcategory_excluded: 'The channel or the publisher excludes the subcategory of the offer.',
  other_language: 'The offer is in another language than the page.',
};

function outdrawnBy(maxOffers: number): string {
  return `The offer is eligible, but ${maxOffers} offers had a better draw in this session.`;
}

function obstacleOf(
  offer: OfferRow,
  exclusions: ReadonlySet<string>,
  language: string | undefined,
): 'inactive' | 'budget_spent' | 'subcategory_excluded' | 'other_language' | undefined {
  if (!offer.active) return 'inactive';
  if (exclusions.has(offer.subcategory_id)) return 'subcategory_excluded';
  if (!offer.in_budget) return 'budget_spent';
  // A request without a language gets offers in every language, as does an offer without one.
  const itsLanguage = offer.details.language ?? language;
  return language === undefined || itsLanguage === language ? undefined : 'other_language';
}

function drawFor(sessionId: string, offerId: string): number {
  const fraction = createHash('sha256').update(`${sessionId}:${offerId}`).digest().readUIntBE(0, 6);
  return (fraction + 1) / (2 ** 48 + 2);
}

/** The language of a BCP 47 tag without its region: `ar` of `ar-EG`. */
export function primaryLanguage(tag: string | undefined): string | undefined {
  return /^[a-z]+/i.exec(tag ?? '')?.[0].toLowerCase();
}
