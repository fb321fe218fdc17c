import type { Footer, Recommendation } from '../wire/offers/response.ts';

/** Where the example offers lead. No such host exists: the kit serves the pages itself. */
export const EXAMPLE_HOST = 'offers.offerlet.test';

/** The offers that a fake relay returns by default. They have no images, which a test would have to load. */
export const EXAMPLE_OFFERS: readonly Recommendation[] = [
  example(1, {
    name: 'Hillside Coffee',
    heading: '20 % off your first bag of coffee',
    subheading: 'Roasted on Monday, at your door on Wednesday.',
    accept_copy: 'Get 20 % off',
  }),
  example(2, {
    name: 'Lantern Books',
    heading: 'A free audiobook of your choice',
    subheading: 'Keep it, even if you cancel.',
    accept_copy: 'Choose an audiobook',
  }),
  example(3, {
    name: 'Fernhouse',
    heading: 'A plant for your desk, and the pot is free',
    subheading: 'It needs water twice a month.',
    accept_copy: 'See the plants',
  }),
];

/** The footer of every response. */
export const EXAMPLE_FOOTER: Footer = {
  attribution_details: {
    copy: 'Offers by the test kit',
    target_url: urlOf(''),
  },
  privacy_policy: { copy: 'Privacy policy', target_url: urlOf('privacy') },
};

interface ExampleCopy {
  readonly name: string;
  readonly heading: string;
  readonly subheading: string;
  readonly accept_copy: string;
}

function example(number: number, { name, heading, subheading, accept_copy }: ExampleCopy): Recommendation {
  return {
    advertiser: { id: `advertiser-${number}`, name, description: subheading },
    offer: {
      id: `offer-${number}`,
      heading,
      subheading,
      target_url: urlOf(`${number}`),
      cta_details: { accept_copy, decline_copy: 'No, thanks' },
      disclosure_details: { copy: 'New customers only.' },
    },
  };
}

function urlOf(path: string): string {
  return `https://${EXAMPLE_HOST}/${path}`;
}
