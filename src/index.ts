export type { ConsentDecision, ConsentOption, ConsentSource } from './session/consent.ts';
export type {
  DismissEvent,
  Explanation,
  FooterEvent,
  LeftOutEvent,
  OfferEvent,
  Outcome,
  OutcomeCode,
  OutcomeEvent,
  PageEvent,
  WaitingFor,
} from './session/openTrace.ts';
export type { OfferLetElement } from './page/elementTypes.d.ts';
export type { PageApi } from './page/openPageApi.ts';
export type { Mount, ShowOptions } from './page/showOptions.ts';
export { showOffers } from './showInspected.ts';
