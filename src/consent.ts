export { googleConsentMode } from './consent/googleConsentMode.ts';
export { oneTrust } from './consent/oneTrust.ts';
export { shopifyPrivacy, type CustomerPrivacySignal } from './consent/shopifyPrivacy.ts';
export { tcf, type TcfOptions } from './consent/tcf.ts';
export type { ConsentSource } from './session/consent.ts';
