import type { PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';

/** What the shopper has done so far. Everything on screen follows from this and the props. */
export interface WidgetState {
  /** Offers that were declined or left behind. */
  readonly passed: readonly PlacedOffer[];
  /** Offers that were accepted. */
  readonly claimed: readonly PlacedOffer[];
  /** The offer whose promo code was copied last. */
  readonly copied?: PlacedOffer;
}

/** Nothing has happened yet. */
export const FRESH: WidgetState = { passed: [], claimed: [] };

/** A list shows all its offers; every other group shows one at a time. */
export function isList(group: PlacedGroup): boolean {
  return group.slot_context === 'SCROLLABLE';
}

/** The offers of a group that the shopper can see now. */
export function shownOffers(state: WidgetState, group: PlacedGroup): readonly PlacedOffer[] {
  const left = group.offers.filter((offer) => !state.passed.includes(offer));
  return isList(group) ? left : left.slice(0, 1);
}

/** The state after the shopper is through with one offer. */
export function passed(state: WidgetState, offer: PlacedOffer): WidgetState {
  return { ...state, passed: [...state.passed, offer] };
}

/** The state after going back to an offer that was passed. */
export function returned(state: WidgetState, offer: PlacedOffer): WidgetState {
  return { ...state, passed: state.passed.filter((other) => other !== offer) };
}

/** The state after an offer was accepted. */
export function claimed(state: WidgetState, offer: PlacedOffer): WidgetState {
  return state.claimed.includes(offer) ? state : { ...state, claimed: [...state.claimed, offer] };
}

/** Tells whether nothing is left to show. */
export function isFinished(state: WidgetState, groups: readonly PlacedGroup[]): boolean {
  return groups.every((group) => !shownOffers(state, group).length);
}
