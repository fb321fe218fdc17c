import type { RecommendationResponse, SafeResponse } from '../wire/offers/response.ts';

/**
 * Returns the part of a response that is stored: the validated fields that are shown again, in the wire's own shape, so
 * that they are validated again when they are read.
 */
export function toStorable({ session_id, groups, footer, sandbox }: SafeResponse): RecommendationResponse {
  const all = groups.flatMap(({ offers }) => offers);
  return {
    session_id,
    sandbox,
    footer,
    recommendations: Object.fromEntries(
      all.map(({ offer_id, advertiser, offer }) => [offer_id, { advertiser, offer }]),
    ),
    recommendation_groups: groups.map(({ offers, ...group }) => ({
      ...group,
      items: offers.map(({ offer_id, advertiser_id, insertion_id }, insertion_order) => ({
        offer_id,
        advertiser_id,
        insertion_id,
        insertion_order,
      })),
    })),
  };
}
