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
    target_url: exampleUrl(''),
  },
  privacy_policy: { copy: 'Privacy policy', target_url: exampleUrl('privacy') },
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
      target_url: exampleUrl(`${number}`),
      cta_details: { accept_copy, decline_copy: 'No, thanks' },
      disclosure_details: { copy: 'New customers only.' },
    },
  };
}

function exampleUrl(path: string): string {
  return `https://${EXAMPLE_HOST}/${path}`;
}

/** Returns the page to which an example offer leads, so that a test needs no network. */
export function exampleResponse(url: string): Response | undefined {
  const { hostname, pathname } = new URL(url);
  if (hostname !== EXAMPLE_HOST) return undefined;
  return new Response(targetPage(pathname), { headers: { 'content-type': 'text/html; charset=utf-8' } });
}

/** Returns the page that the kit shows in place of a target. */
export function targetPage(name: string): string {
  return `<!doctype html><html lang="en"><title>Target of an offer</title><h1>Target of an offer</h1><p>${encodeURI(name)}`;
}
