/** A network's response with three offers, the first with a promo code. */
export function threeOffers(more: Record<string, unknown> = {}): Record<string, unknown> {
  const numbers = [1, 2, 3];
  return {
    session_id: '6f1c2f0e-5b0e-4c60-9d53-2f6f6c1d7a10',
    recommendations: Object.fromEntries(
      numbers.map((number) => [
        `o${number}`,
        {
          advertiser: { id: `a${number}`, name: `Advertiser ${number}` },
          offer: {
            id: `o${number}`,
            heading: `Heading ${number}`,
            subheading: `Subheading ${number}`,
            target_url: `https://partner.example/${number}`,
            cta_details: {
              accept_copy: `Accept ${number}`,
              decline_copy: `Decline ${number}`,
              transition_copy: `Thanks ${number}`,
            },
            ...(number === 1 && { metadata: { type: 'PROMO_CODE', code: 'CODE-1' } }),
            disclosure_details: { copy: `Terms ${number}`, target_url: 'https://partner.example/terms' },
          },
        },
      ]),
    ),
    recommendation_groups: [
      {
        id: 'g0',
        heading: 'For you',
        items: numbers.map((number) => ({
          insertion_order: number,
          insertion_id: `i${number}`,
          offer_id: `o${number}`,
          advertiser_id: `a${number}`,
        })),
      },
    ],
    footer: { privacy_policy: { copy: 'Privacy', target_url: 'https://partner.example/privacy' } },
    ...more,
  };
}
