export type { ConsentDecision, ConsentOption, ConsentSource } from './session/consent.ts';
export type {
  DismissEvent,
  FooterEvent,
  LeftOutEvent,
  OfferEvent,
  Outcome,
  OutcomeCode,
  OutcomeEvent,
  PageEvent,
} from './session/events.ts';
export type { Explanation, WaitingFor } from './session/openTrace.ts';
export type { OfferLetElement } from './page/elementTypes.d.ts';
export type { PageApi } from './page/openPageApi.ts';
export type { Offers, ShowOptions } from './page/showOptions.ts';
export { showOffers } from './showInspected.ts';
