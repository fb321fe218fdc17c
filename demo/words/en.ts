import type { Choices } from '../choices/choices.ts';

/** The shop's texts in one language. `{0}` is replaced by a number, a name or a date. */
export interface Words {
  nav: readonly [string, string, string];
  account: string;
  bag: string;
  order: string;
  views: Readonly<Record<Choices['view'], readonly [title: string, text: string]>>;
  steps: readonly [string, string, string, string];
  arrives: string;
  partners: string;
  summary: string;
  items: readonly (readonly [name: string, note: string])[];
  subtotal: string;
  delivery: string;
  free: string;
  total: string;
  deliverTo: string;
  paidWith: string;
  card: string;
  journey: readonly [string, string, string];
  rate: string;
  stars: string;
  checkout: readonly [contact: string, pay: string, invoice: string, place: string];
  email: string;
  help: readonly [search: string, where: string, back: string, address: string, talk: string];
  receipt: readonly [order: string, receipt: string, date: string, thanks: string];
  cookies: readonly [title: string, text: string, accept: string, decline: string, settings: string];
  footer: string;
}

/** The shop in English. */
export const EN: Words = {
  nav: ['Coffee', 'Kitchen', 'Journal'],
  account: 'Account',
  bag: 'Bag',
  order: 'Order {0}',
  views: {
    THANK_YOU: ['Thank you, Jane', 'Your order is confirmed. The receipt is on its way to jane.doe@example.com.'],
    ORDER_STATUS: ['We are packing your order', 'It leaves our workshop today. There is nothing for you to do.'],
    ORDER_TRACKING: ['Your parcel is on its way', 'It left Bristol this morning and is with the courier now.'],
    POST_ORDER: ['How was everything, Jane?', 'Your order was delivered. We hope that the first cup was a good one.'],
    CHECKOUT: ['Almost there, Jane', 'Look it over once more. You can still change everything.'],
    SUPPORT_CENTER: ['How can we help, Jane?', 'We answer within the hour, and a person reads it.'],
  },
  steps: ['Ordered', 'Packed', 'On its way', 'Delivered'],
  arrives: 'Arrives {0}',
  partners: 'Offers from our partners',
  summary: 'Your order',
  items: [
    ['Stoneware pour‑over set', 'Chalk glaze'],
    ['Single-origin beans, 500 g', 'Whole bean'],
    ['Paper filters, 100', 'Unbleached'],
  ],
  subtotal: 'Subtotal',
  delivery: 'Delivery',
  free: 'Free',
  total: 'Total',
  deliverTo: 'Delivered to',
  paidWith: 'Paid with',
  card: 'Card ending in {0}',
  journey: ['Out for delivery in Bath', 'Sorted in Swindon', 'Left our workshop in Bristol'],
  rate: 'Rate what you bought',
  stars: '{0} of 5 stars',
  checkout: ['Contact', 'How would you like to pay?', 'Invoice, 14 days', 'Place order for {0}'],
  email: 'Email',
  help: ['What is it about?', 'Where is my parcel?', 'Send something back', 'Change the address', 'Talk to a person'],
  receipt: ['Order', 'Receipt', 'Issued on {0}', 'Keep it for your records. Thank you for shopping with us.'],
  cookies: [
    'Offers after your order',
    'May we show you offers from our partners here? We then tell them, under a code, that an order was placed.',
    'Yes, show offers',
    'No, thank you',
    'Privacy choices',
  ],
  footer: 'Marlow & Finch is an invented shop. It shows how offerlet looks on a real one.',
};
