export type { Explanation } from './page/explanation.ts';
export type { ShowOptions } from './page/options.ts';
export type { Outcome, OutcomeCode } from './page/outcome.ts';
export type { DismissEvent, FooterEvent, LeftOutEvent, OfferEvent, OutcomeEvent, PageEvent } from './page/pageEvent.ts';
export type { Offers } from './page/showOffers.ts';
export { showOffers } from './showInspected.ts';
