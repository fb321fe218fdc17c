import type { Source } from './typeCheck.ts';

// Code of merchants. The compiler must accept it, and must find the mistake below each @ts-expect-error.
const OPTIONS = `
import { showOffers, type PageEvent } from 'offerlet';
const placement_details = { view: 'THANK_YOU', display_mode: 'OVERLAY' } as const;
declare const order: { id?: string; hash?: string };

showOffers({ relay: '/offers', request: { placement_details } });
showOffers({ relay: '/offers', request: { user_details: {}, placement_details } });
showOffers({ relay: '/offers', request: { user_details: { email_hash: order.hash, email: undefined }, placement_details } });
showOffers({ relay: '/offers', request: { order_details: { order_id: order.id }, placement_details } });
showOffers({ relay: '/offers', request: { user_details: { phone: '1', first_name: 'Ada', loyalty: 1 }, placement_details } });
// @ts-expect-error: two identifiers
showOffers({ relay: '/offers', request: { user_details: { phone: '1', email: 'a@b.example' }, placement_details } });

showOffers({ relay: '/offers', request: { placement_details }, messages: { close: 'Schließen', more: undefined } });
// @ts-expect-error: a misspelled message
showOffers({ relay: '/offers', request: { placement_details }, messages: { closed: 'Schließen' } });
// @ts-expect-error: no such view
showOffers({ relay: '/offers', request: { placement_details: { view: 'HOME', display_mode: 'INLINE' } } });

(window.offerlet ||= []).push((api) => api.show({ relay: '/offers', request: { placement_details } }));
(window.offerlet ||= []).push((api) => api.consent(true));
export const ended = window.offerlet?.outcome?.then(({ code }) => code);
export const explained = window.offerlet?.explain?.().map(({ outcome }) => outcome?.code);
// @ts-expect-error: no such method
(window.offerlet ||= []).push((api) => api.open());

export const outcome = document.querySelector('offer-let')?.mount?.outcome;
document.addEventListener('offerlet', ({ detail }) => { const event: PageEvent = detail; return event; });
`;

const TEMPLATE = `
import type { OfferLetElement } from 'offerlet/element';
export const full = (
  <offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" email-hash={undefined} order-id="1" order-amount={42.5}
    sandbox max-offers={2} consent="required" className="offers" style={{ minBlockSize: 520 }} key="1"
    ref={(element: OfferLetElement | null) => { void element?.mount?.outcome; }}
    onofferlet={(event) => event.detail.type === 'click'} />
);
// @ts-expect-error: no such view
export const view = <offer-let view="HOME" />;
// @ts-expect-error: no such attribute
export const misspelled = <offer-let rellay="/offers" />;
`;

const from = (page: string) => ({ page, line: 1 });

/** Even in React and Preact. */
export const MERCHANTS: readonly Source[] = [
  { name: 'options.ts', code: OPTIONS, from: from('options') },
  { name: 'react.tsx', code: `/** @jsxImportSource react */\n${TEMPLATE}`, from: from('React') },
  {
    name: 'preact.tsx',
    code: `/** @jsxImportSource preact */\n${TEMPLATE.replaceAll('className', 'class')}`,
    from: from('Preact'),
  },
];
