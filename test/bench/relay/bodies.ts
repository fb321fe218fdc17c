import { NONCE_FIELD } from '../../../src/wire/offers/request.ts';
import { event } from '../../relay/event.ts';

const NONCE = 'a-nonce-of-one-device';

/** The body of a page's request for offers, each of another order. */
export function newOrder(): string {
  return JSON.stringify({
    [NONCE_FIELD]: NONCE,
    user_details: { email_hash: 'b4c9a289323b21a01c3e940f150eb9b8c542587f1abfd8f0e1cc1ffc5e475514' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    order_details: { order_id: crypto.randomUUID(), cost_details: { amount: '42.50', currency_code: 'EUR' } },
  });
}

/** Twenty new events, none of them a duplicate. */
export function batch(): string {
  return JSON.stringify({ events: Array.from({ length: 20 }, () => event()) });
}
