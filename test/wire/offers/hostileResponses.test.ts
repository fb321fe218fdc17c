import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readRecommendations } from '../../../src/wire/offers/readRecommendations.ts';
import type { SafeResponse } from '../../../src/wire/offers/response.ts';

const XSS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "'-alert(1)-'",
  '{{constructor.constructor("alert(1)")()}}',
  '<a href="javascript:alert(1)">x</a>',
  '</style><script>alert(1)</script>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '&lt;script&gt;',
  '${alert(1)}',
];

test.each(XSS)('%s in every field is read as plain text and never as a URL', (text) => {
  const urls = { logo_url: text, target_url: text, image_url: text };
  const body = {
    session_id: 's',
    recommendations: {
      a: {
        advertiser: { id: 'a', name: text, description: text, ...urls },
        offer: {
          id: 'a',
          heading: text,
          subheading: text,
          ...urls,
          target_url: 'https://x.example/',
          cta_details: {
            accept_copy: text,
            decline_copy: text,
            transition_copy: text,
            claimed_accept_copy: text,
            claimed_decline_copy: text,
          },
          metadata: { type: 'PROMO_CODE', code: text, layout_type: text },
          assets: [{ id: text, asset_type: 'IMAGE', insertion_order: 0, ...urls }],
          disclosure_details: { copy: text, content: text, ...urls },
        },
      },
    },
    recommendation_groups: [
      {
        id: text,
        heading: text,
        items: [{ offer_id: 'a', insertion_id: text, insertion_order: 0, advertiser_id: text }],
      },
    ],
    footer: { attribution_details: { copy: text, ...urls }, privacy_policy: { copy: text, ...urls } },
  };
  const read = readRecommendations(body);
  expect(read.ok).toBe(true);
  if (!read.ok) return;
  const [placed] = read.value.groups[0]?.offers ?? [];
  expect(placed?.offer).toMatchObject({
    heading: text,
    subheading: text,
    target_url: 'https://x.example/',
    assets: [],
  });
  expect(urlsOf(read.value)).toEqual(['https://x.example/']);
});

/** Every value under a key that ends in `_url`. */
function urlsOf(response: SafeResponse): unknown[] {
  const addresses: unknown[] = [];
  JSON.stringify(response, (key: string, value: unknown) => {
    if (key.endsWith('_url') && value !== undefined) addresses.push(value);
    return value;
  });
  return addresses;
}

test('in any response every text is short and free of control characters, and every URL is https', () => {
  const copy = fc.string({ unit: 'binary', maxLength: 400 });
  const part = fc.record({
    advertiser: fc.record({ id: fc.constant('a'), name: copy, logo_url: fc.oneof(fc.webUrl(), copy) }),
    offer: fc.record({
      heading: copy,
      target_url: fc.webUrl({ validSchemes: ['https', 'http'] }),
      cta_details: fc.record({ accept_copy: copy, decline_copy: copy }),
    }),
  });
  fc.assert(
    fc.property(fc.dictionary(fc.string(), part), (recommendations) => {
      const read = readRecommendations({ session_id: 's', recommendations });
      if (!read.ok) return;
      for (const url of urlsOf(read.value)) expect(url).toMatch(/^https:/);
      for (const { advertiser, offer } of read.value.groups.flatMap((group) => group.offers)) {
        for (const text of [advertiser.name, offer.heading, offer.cta_details.accept_copy]) {
          expect(text).not.toMatch(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/u);
          expect(text.trim()).not.toBe('');
        }
      }
    }),
    { numRuns: 300 },
  );
});
