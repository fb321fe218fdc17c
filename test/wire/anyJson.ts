import * as fc from 'fast-check';

const KEYS = `
  session_id recommendations recommendation_groups recommendation_group_properties items offer_id insertion_id
  insertion_order advertiser offer heading target_url cta_details accept_copy decline_copy assets footer
  attribution_details x_logo_url metadata name id user_details placement_details order_details cost_details
  purchases attributes email view events results index success error errors message code event_name event_datetime
  brand_properties conversion_properties __proto__ constructor toString hasOwnProperty length 0 1 2
`
  .trim()
  .split(/\s+/);
/** JSON whose objects have known field names and names that break naive readers. */
export const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1e308,
      '',
      'a',
      '0',
      'https://x.example',
      'javascript:1',
      'BRAND_CLICK',
      'ELEMENT_CLICK',
      'CONVERSION',
      'THANK_YOU',
      'INLINE',
    ),
    fc.string({ unit: 'binary' }),
    fc.double(),
    fc.array(tie('json'), { maxLength: 6 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...KEYS), fc.string()), tie('json'), { maxKeys: 10 }),
  ),
}));
