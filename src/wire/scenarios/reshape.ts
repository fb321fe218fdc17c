import type { OfferChanges } from './forcing.ts';
import { readGroups } from '../offers/readGroups.ts';
import { isObject, own, type JsonObject } from '../json.ts';
import { COPY_MAX } from '../limits.ts';
import { PROMO_CODE } from './scenarios.ts';

const LONG_WORD = 'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz';

/** Changes the offers of a recommendations response. Returns anything else unchanged. */
export function reshape(json: unknown, { offers = Infinity, copy, parts, promo }: OfferChanges): unknown {
  const before = own(json, 'recommendations');
  if (!isObject(json) || !isObject(before)) return json;
  let left = offers;
  const recommendation_groups = readGroups(json, before).map((group) => {
    const items = group.items.slice(0, left);
    left -= items.length;
    return { ...group, items };
  });
  const shown = recommendation_groups.flatMap((group) => group.items.map((item) => item.offer_id));
  const recommendations: Record<string, unknown> = {};
  for (const [index, id] of [...new Set(shown)].entries()) {
    let entry = copyOf(own(before, id));
    if (copy) entry = withLongCopy(entry);
    if (parts) entry = index === 0 ? withoutHeading(entry) : withRequiredParts(entry);
    if (promo) entry = withCode(entry);
    recommendations[id] = entry;
  }
  return { ...json, recommendations, recommendation_groups };
}

interface EditableOffer {
  advertiser: JsonObject;
  offer: JsonObject;
}

function copyOf(json: unknown): EditableOffer {
  return { advertiser: objectAt(json, 'advertiser'), offer: objectAt(json, 'offer') };
}

function objectAt(json: unknown, name: string): JsonObject {
  const value = own(json, name);
  return isObject(value) ? value : {};
}

function withLongCopy({ advertiser, offer }: EditableOffer): EditableOffer {
  return {
    advertiser: { ...advertiser, name: longer(COPY_MAX.name), description: longer(COPY_MAX.subheading) },
    offer: {
      ...offer,
      heading: longer(COPY_MAX.heading),
      subheading: longer(COPY_MAX.subheading),
      cta_details: {
        ...objectAt(offer, 'cta_details'),
        accept_copy: longer(COPY_MAX.cta),
        decline_copy: longer(COPY_MAX.cta),
        transition_copy: longer(COPY_MAX.subheading),
      },
      disclosure_details: { copy: longer(COPY_MAX.disclosure) },
    },
  };
}

/** Returns one word without break opportunities, then short words, up to twice the limit. */
function longer(limit: number): string {
  return `${LONG_WORD} `.concat('and so much more for you '.repeat(limit)).slice(0, limit * 2);
}

function withoutHeading({ advertiser, offer: { heading: _heading, ...offer } }: EditableOffer): EditableOffer {
  return { advertiser, offer };
}

function withRequiredParts({ advertiser, offer }: EditableOffer): EditableOffer {
  const { accept_copy, decline_copy } = objectAt(offer, 'cta_details');
  return {
    advertiser: { id: advertiser['id'], name: advertiser['name'] },
    offer: {
      id: offer['id'],
      heading: offer['heading'],
      target_url: offer['target_url'],
      cta_details: { accept_copy, decline_copy },
    },
  };
}

function withCode({ advertiser, offer }: EditableOffer): EditableOffer {
  const cta_details = { transition_copy: 'Use this code at the checkout.', ...objectAt(offer, 'cta_details') };
  return { advertiser, offer: { ...offer, cta_details, metadata: { type: 'PROMO_CODE', code: PROMO_CODE } } };
}
