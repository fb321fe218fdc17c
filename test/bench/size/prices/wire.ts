import type { Price } from './price.ts';

const RECOMMENDATIONS = 'wire/offers/readRecommendations.ts';
const OFFER = 'wire/offers/readOffer.ts';

/** What reading a response costs. */
export const WIRE_PRICES: readonly Price[] = [
  {
    behaviour: 'Texts: why an offer is left out',
    lost: 'A network finds out by trial why its offer is not shown.',
    cuts: [
      [OFFER, /'(advertiser|offer)\.[^'\n]*'/g, "''"],
      [RECOMMENDATIONS, /'(advertiser\.id is|insertion_id is|offer_id is|the response must|must be)[^']*'/g, "''"],
      [RECOMMENDATIONS, /`only the first[^`]*`/, "''"],
    ],
  },
  {
    behaviour: 'Wire: groups in any of their forms',
    lost: 'Only an array of groups with items is accepted.',
    cuts: [
      ['wire/offers/readGroups.ts', /const bare = .*/, ''],
      ['wire/offers/readGroups.ts', /if \(Array\.isArray\(entry\)\) add\(entry\);\s*else if (\(.*?\)\)\))/, 'if $1'],
      ['wire/offers/readGroups.ts', /if \(bare\.length > 0\) add\(bare\);/, ''],
      ['wire/offers/readGroups.ts', /else if \(isObject\(json\)\) \{[\s\S]*?\n {2}\}\n/, ''],
      ['wire/offers/readGroups.ts', /if \(!groups\[0\] && .*/, ''],
    ],
  },
  {
    behaviour: 'Wire: foreign text is made safe to show',
    lost: 'Bidi overrides, invisible names and stacks of accents reach the page.',
    cuts: [
      [
        'wire/plainText.ts',
        /if \(typeof value !== 'string'\)[\s\S]*?\n\}/,
        "return typeof value === 'string' ? value.slice(0, max) || undefined : undefined;\n}",
      ],
    ],
  },
  {
    behaviour: 'Wire: one bad offer, or one that is there twice, does not affect the others',
    lost: 'A response with one mistake shows nothing.',
    cuts: [
      [RECOMMENDATIONS, /if \(taken\.size >= .*/, ''],
      [RECOMMENDATIONS, /if \(taken\.has.*/, ''],
      [RECOMMENDATIONS, /taken\.add.*/, ''],
      [RECOMMENDATIONS, /else if \(left_out\.length.*/, ''],
      [RECOMMENDATIONS, /if \(!advertiser_id\) return .*/, ''],
    ],
  },
  {
    behaviour: 'Wire: tiles, disclosures and promo codes',
    lost: 'Offers are a heading, a text and two buttons.',
    cuts: [[OFFER, /\n {2}metadata: object\([\s\S]*?\n\};/, '\n};']],
  },
];
