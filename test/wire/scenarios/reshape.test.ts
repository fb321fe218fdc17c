import { expect, test } from 'vitest';
import type { OfferChanges } from '../../../src/wire/scenarios/forcing.ts';
import { COPY_MAX } from '../../../src/wire/limits.ts';
import { readRecommendations } from '../../../src/wire/offers/readRecommendations.ts';
import type { SafeResponse } from '../../../src/wire/offers/response.ts';
import { reshape } from '../../../src/wire/scenarios/reshape.ts';
import { answerWith } from '../offers/wholeResponse.ts';

/** Reads the changed response as a page does. */
function read(changes: OfferChanges, count = 3): SafeResponse {
  const parsed = readRecommendations(reshape(answerWith(count), changes));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}
const offersOf = (response: SafeResponse) => response.groups.flatMap((group) => group.offers);

test('there are at most so many offers, in their order, under the same session', () => {
  expect(offersOf(read({ offers: 0 }))).toEqual([]);
  expect(offersOf(read({ offers: 2 })).map(({ offer_id }) => offer_id)).toEqual(['offer-1', 'offer-2']);
  expect(offersOf(read({ offers: 9 }))).toHaveLength(3);
  expect(read({ offers: 0 }).session_id).toBe(answerWith(3)['session_id']);
});

test('long copy fills every limit to the last letter', () => {
  for (const { advertiser, offer } of offersOf(read({ copy: 'long' }))) {
    expect(offer.heading.length).toBeGreaterThan(COPY_MAX.heading - 3);
    expect(offer.cta_details.accept_copy.length).toBeGreaterThan(COPY_MAX.cta - 3);
    expect(advertiser.name.length).toBeGreaterThan(COPY_MAX.name - 3);
  }
});

test('missing parts: the first offer is left out and says why, the others stand without what may be missing', () => {
  const answer = read({ parts: 'missing' });
  expect(answer.left_out).toEqual([{ offer_id: 'offer-1', reason: 'offer.heading is missing' }]);
  expect(offersOf(answer)).toHaveLength(2);
  for (const { advertiser, offer } of offersOf(answer))
    expect([advertiser.logo_url, offer.subheading, offer.disclosure_details]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
});

test('every offer has the code', () => {
  for (const { offer } of offersOf(read({ promo: 'code' })))
    expect(offer.metadata).toMatchObject({ type: 'PROMO_CODE', code: 'QA-2026' });
});

test('several wishes go together, whatever form the groups came in', () => {
  const { recommendation_groups: _groups, ...bare } = answerWith(3);
  const parsed = readRecommendations(reshape(bare, { offers: 1, promo: 'code' }));
  expect(parsed).toMatchObject({
    ok: true,
    value: { groups: [{ offers: [{ offer: { metadata: { code: 'QA-2026' } } }] }] },
  });
});
