import { readId } from '../readId.ts';
import { isObject, own } from '../json.ts';
import { COPY_MAX } from '../limits.ts';
import { byOrder, orderOf } from './readOffer.ts';
import { oneOf } from '../oneOf.ts';
import type { RecommendationGroup } from './response.ts';
import { plainText } from '../plainText.ts';

/**
 * Returns the groups of a response in one form, items sorted by `insertion_order`. Accepts an array of groups, an array of
 * arrays of items, an array of items, a map of arrays with `recommendation_group_properties` beside it, and no groups at
 * all. See docs/wire.md#what-the-widget-accepts.
 */
export function readGroups(response: unknown, recommendations: unknown): RecommendationGroup[] {
  const json = own(response, 'recommendation_groups');
  const groups: RecommendationGroup[] = [];
  if (Array.isArray(json)) {
    const bare = json.filter((entry) => !Array.isArray(entry) && !Array.isArray(own(entry, 'items')));
    for (const entry of json) {
      const id = `group_${groups.length}`;
      if (Array.isArray(entry)) groups.push(readGroup(id, entry, undefined));
      else if (Array.isArray(own(entry, 'items'))) groups.push(readGroup(id, own(entry, 'items'), entry));
    }
    if (bare.length > 0) groups.push(readGroup(`group_${groups.length}`, bare, undefined));
  } else if (isObject(json)) {
    const properties = own(response, 'recommendation_group_properties');
    for (const id of Object.keys(json)) {
      const entry = own(json, id);
      groups.push(readGroup(id, Array.isArray(entry) ? entry : own(entry, 'items'), own(properties, id) ?? entry));
    }
  }
  return groups.length > 0 || !isObject(recommendations) ? groups : [impliedGroup(Object.keys(recommendations))];
}

function readGroup(id: string, items: unknown, properties: unknown): RecommendationGroup {
  const read = [];
  for (const item of Array.isArray(items) ? items : []) {
    const offer_id = readId(own(item, 'offer_id'));
    if (!offer_id) continue;
    const insertion_id = readId(own(item, 'insertion_id')) ?? offer_id;
    read.push({
      insertion_order: orderOf(item),
      insertion_id,
      offer_id,
      advertiser_id: readId(own(item, 'advertiser_id')) ?? '',
    });
  }
  return {
    id: readId(own(properties, 'id')) ?? id,
    heading: plainText(own(properties, 'heading'), COPY_MAX.heading),
    slot_context: oneOf(['HERO', 'SCROLLABLE'], own(properties, 'slot_context')),
    items: read.sort(byOrder),
  };
}

function impliedGroup(offerIds: readonly string[]): RecommendationGroup {
  const items = offerIds.map((offer_id, insertion_order) => ({
    insertion_order,
    insertion_id: offer_id,
    offer_id,
    advertiser_id: '',
  }));
  return { id: 'group_0', items };
}
