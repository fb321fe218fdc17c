export { complianz, cookiebot, cookieYes, didomi, oneTrust, usercentrics, wpConsent } from './consent/platforms.ts';
export { googleConsentMode, type ConsentModeOptions } from './consent/googleConsentMode.ts';
export { gpp, tcf, type TcfOptions } from './consent/iab.ts';
export { shopifyPrivacy, type CustomerPrivacySignal } from './consent/shopifyPrivacy.ts';
export type { ConsentSource } from './session/consent.ts';
