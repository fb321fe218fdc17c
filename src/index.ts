export type { Explanation } from './session/openTrace.ts';
export type { ShowOptions } from './page/options/showOptions.ts';
export type { Outcome, OutcomeCode } from './session/outcome.ts';
export type {
  DismissEvent,
  FooterEvent,
  LeftOutEvent,
  OfferEvent,
  OutcomeEvent,
  PageEvent,
} from './session/pageEvent.ts';
export type { OfferLetElement } from './page/elementTypes.d.ts';
export type { Offers } from './page/offers.ts';
export type { PageApi } from './page/openPageApi.ts';
export { showOffers } from './showInspected.ts';
