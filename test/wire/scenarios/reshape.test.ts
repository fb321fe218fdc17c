import { expect, test } from 'vitest';
import type { OfferChanges } from '../../../src/wire/scenarios/scenarios.ts';
import { COPY_MAX } from '../../../src/wire/limits.ts';
import { readRecommendations } from '../../../src/wire/offers/readRecommendations.ts';
import type { SafeResponse } from '../../../src/wire/offers/response.ts';
import { reshape } from '../../../src/wire/scenarios/forcedFetch.ts';
import { wholeResponse } from '../offers/wholeResponse.ts';

/** Reads the changed response as a page does. */
function read(changes: OfferChanges, count = 3): SafeResponse {
  const parsed = readRecommendations(reshape(wholeResponse(count), changes));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}
const offersOf = (response: SafeResponse) => response.groups.flatMap((group) => group.offers);

test('the number of offers is limited; their order and session stay', () => {
  expect(offersOf(read({ offers: 0 }))).toEqual([]);
  expect(offersOf(read({ offers: 2 })).map(({ offer_id }) => offer_id)).toEqual(['offer-1', 'offer-2']);
  expect(offersOf(read({ offers: 9 }))).toHaveLength(3);
  expect(read({ offers: 0 }).session_id).toBe(wholeResponse(3)['session_id']);
});

test('long copy fills every limit', () => {
  for (const { advertiser, offer } of offersOf(read({ copy: 'long' }))) {
    expect(offer.heading.length).toBeGreaterThan(COPY_MAX.heading - 3);
    expect(offer.cta_details.accept_copy.length).toBeGreaterThan(COPY_MAX.cta - 3);
    expect(advertiser.name.length).toBeGreaterThan(COPY_MAX.name - 3);
  }
});

test('missing parts: the first offer is left out with a reason, the others are shown without optional fields', () => {
  const response = read({ parts: 'missing' });
  expect(response.left_out).toEqual([{ offer_id: 'offer-1', reason: 'offer.heading is missing' }]);
  expect(offersOf(response)).toHaveLength(2);
  for (const { advertiser, offer } of offersOf(response))
    expect([advertiser.logo_url, offer.subheading, offer.disclosure_details]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
});

test('every offer has the promo code', () => {
  for (const { offer } of offersOf(read({ promo: 'code' })))
    expect(offer.metadata).toMatchObject({ type: 'PROMO_CODE', code: 'QA-2026' });
});

test('several changes combine, whatever form the groups have', () => {
  const { recommendation_groups: _groups, ...bare } = wholeResponse(3);
  const parsed = readRecommendations(reshape(bare, { offers: 1, promo: 'code' }));
  expect(parsed).toMatchObject({
    ok: true,
    value: { groups: [{ offers: [{ offer: { metadata: { code: 'QA-2026' } } }] }] },
  });
});
