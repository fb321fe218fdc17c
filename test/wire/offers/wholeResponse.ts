import { batchResponse } from '../../../src/wire/events.ts';
/** A network's response with `count` offers in one group, each with `more`. */
export function wholeResponse(
  count: number,
  more: object = { disclosure_details: { copy: 'Terms apply.' } },
): Record<string, unknown> {
  const numbers = [...Array(count).keys()].map((index) => index + 1);
  return {
    session_id: '6f9e0d52-0000-4000-8000-000000000001',
    recommendations: Object.fromEntries(
      numbers.map((n) => [
        `offer-${n}`,
        {
          advertiser: { id: `adv-${n}`, name: `Advertiser ${n}`, logo_url: 'https://cdn.example/logo.svg' },
          offer: {
            id: `offer-${n}`,
            heading: `Heading ${n}`,
            subheading: 'Fresh coffee at your door.',
            target_url: `https://advertiser.example/${n}`,
            cta_details: { accept_copy: 'Yes, please', decline_copy: 'No, thanks' },
            ...more,
          },
        },
      ]),
    ),
    recommendation_groups: [
      {
        id: 'group_0',
        slot_context: 'HERO',
        items: numbers.map((n) => ({
          insertion_order: n,
          insertion_id: `ins-${n}`,
          offer_id: `offer-${n}`,
          advertiser_id: `adv-${n}`,
        })),
      },
    ],
    footer: {},
  };
}

/** The response of a network that has accepted a whole batch. */
export const allAccepted = (events: readonly unknown[]): object =>
  batchResponse(events.map((_, index) => ({ index, success: true })));
