import type { PlacedGroup, PlacedOffer } from '../wire/offers/response.ts';

/** What the shopper has done so far. Together with the props it determines everything on screen. */
export interface WidgetState {
  /** Offers that were declined, or accepted and moved on from. */
  readonly passed: readonly PlacedOffer[];
  /** Offers that were accepted. */
  readonly claimed: readonly PlacedOffer[];
  /** Those of them whose page has had the time to open. */
  readonly opened: readonly PlacedOffer[];
  /** The offer whose promo code was copied last. */
  readonly copied?: PlacedOffer;
}

/** The state of a widget that has just been mounted. */
export const INITIAL_STATE: WidgetState = { passed: [], claimed: [], opened: [] };

/** Whether a group shows all its offers as a list; every other group shows one at a time. */
export function isList(group: PlacedGroup): boolean {
  return group.slot_context === 'SCROLLABLE';
}

/** Returns the offers of a group that are shown now. */
export function shownOffers(state: WidgetState, group: PlacedGroup): readonly PlacedOffer[] {
  return remaining(state, group).slice(0, isList(group) ? Infinity : 1);
}

/** Returns the offers that follow the shown ones when the shopper goes on. */
export function nextOffers(state: WidgetState, groups: readonly PlacedGroup[]): PlacedOffer[] {
  return groups.flatMap((group) => (isList(group) ? [] : remaining(state, group).slice(1, 2)));
}

function remaining(state: WidgetState, group: PlacedGroup): readonly PlacedOffer[] {
  return group.offers.filter((offer) => !state.passed.includes(offer));
}

/** Returns the state after an offer was declined or moved on from. */
export function passOffer(state: WidgetState, offer: PlacedOffer): WidgetState {
  return { ...state, passed: [...state.passed, offer] };
}

/** Returns the state after going back to an earlier offer. */
export function returnToOffer(state: WidgetState, offer: PlacedOffer): WidgetState {
  return { ...state, passed: state.passed.filter((other) => other !== offer) };
}

/** Returns the state after an offer was accepted. */
export function claimOffer(state: WidgetState, offer: PlacedOffer): WidgetState {
  return state.claimed.includes(offer) ? state : { ...state, claimed: [...state.claimed, offer] };
}

/** Whether no offer is left to show. */
export function isFinished(state: WidgetState, groups: readonly PlacedGroup[]): boolean {
  return groups.every((group) => !shownOffers(state, group).length);
}
