export type { DeliveredEvent, Receipt } from './testing/createFakeNetwork.ts';
export type { FakeOffer, FakeOffers } from './testing/fakeOffers.ts';
export { fakeRelay, type FakeRelay, type FakeRelayOptions } from './testing/fakeRelay.ts';
export type { EventFields } from './testing/describeDelivery.ts';
export { offerletHandlers, type OfferletHandlers } from './testing/offerletHandlers.ts';
export type { ScenarioName } from './wire/scenarios/scenarios.ts';
