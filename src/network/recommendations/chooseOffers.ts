import { createHash } from 'node:crypto';
import type { OfferRow } from './offerRow.ts';

/** Offers in one answer at most: what a shopper pages through. */
export const MAX_OFFERS = 10;
/** Expected value of an offer that is worth nothing: it is still seen now and then. */
const LEAST_VALUE = 0.000_001;

/** Why an offer was or was not shown in one session. */
export interface OfferExplanation {
  readonly offer_id: string;
  readonly advertiser: string;
  readonly heading: string;
  readonly shown: boolean;
  readonly reason: 'shown' | 'inactive' | 'budget_spent' | 'subcategory_excluded' | 'outdrawn';
  /** What the reason means, in a sentence. */
  readonly message: string;
  /** Price per conversion times weight. */
  readonly expected_value: number;
  /** The offer's own number in (0, 1) for this session: the SHA-256 of `session_id:offer_id` as a fraction. */
  readonly draw: number;
  /** -ln(draw) / expected_value: the offers with the lowest are shown, so each is shown in proportion to its value. */
  readonly rank: number;
  /** Its place among the shown: the highest expected value first. */
  readonly position?: number;
}

/** The offers to show, in order, and a word about every offer of the catalogue. */
export interface OfferChoice {
  readonly shown: readonly OfferRow[];
  readonly explanations: readonly OfferExplanation[];
}

/**
 * Chooses by a draw that the session seeds (the same session draws the same), weighted by expected value, so that each
 * offer of the catalogue is seen; orders what it chose by expected value.
 */
export function chooseOffers(
  catalogue: readonly OfferRow[],
  session: { session_id: string; exclusions: ReadonlySet<string> },
): OfferChoice {
  const drawn = catalogue.map((offer) => {
    const expected_value = Number(offer.price_per_conversion) * Number(offer.weight);
    const draw = drawFor(session.session_id, offer.offer_id);
    const rank = -Math.log(draw) / Math.max(expected_value, LEAST_VALUE);
    return { offer, expected_value, draw, rank, obstacle: obstacleOf(offer, session.exclusions) };
  });
  const eligible = drawn.filter(({ obstacle }) => obstacle === undefined).toSorted((a, b) => a.rank - b.rank);
  const shown = eligible
    .slice(0, MAX_OFFERS)
    .toSorted((a, b) => b.expected_value - a.expected_value || a.rank - b.rank);
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
      message: MESSAGES[reason],
      expected_value,
      draw,
      rank,
      ...(position < 0 ? {} : { position }),
    };
  });
  return { shown: shown.map(({ offer }) => offer), explanations };
}

const MESSAGES: Readonly<Record<OfferExplanation['reason'], string>> = {
  shown: 'Eligible, and among the best draws of this session.',
  inactive: 'The offer is switched off.',
  budget_spent: 'The budget has no room for one more conversion.',
  subcategory_excluded: 'Its subcategory is excluded by the channel, for the publisher, or by the publisher.',
  outdrawn: `Eligible, but ${MAX_OFFERS} offers drew better in this session.`,
};

function obstacleOf(
  offer: OfferRow,
  exclusions: ReadonlySet<string>,
): 'inactive' | 'budget_spent' | 'subcategory_excluded' | undefined {
  if (!offer.active) return 'inactive';
  if (exclusions.has(offer.subcategory_id)) return 'subcategory_excluded';
  return offer.in_budget ? undefined : 'budget_spent';
}

function drawFor(sessionId: string, offerId: string): number {
  const fraction = createHash('sha256').update(`${sessionId}:${offerId}`).digest().readUIntBE(0, 6);
  return (fraction + 1) / (2 ** 48 + 2);
}
