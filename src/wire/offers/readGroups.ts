import { isObject, own } from '../json.ts';
import { oneOf } from '../oneOf.ts';
import { readId } from '../readId.ts';
import { heading, id, insertion_order } from './readOffer.ts';
import { listOf, object, readFields } from './readFields.ts';
import type { RecommendationGroup } from './response.ts';

const GROUP = {
  id: readId,
  heading,
  slot_context: (value: unknown) => oneOf(['HERO', 'SCROLLABLE'], value),
};

const readItems = listOf(
  object({ insertion_order, insertion_id: readId, offer_id: readId, advertiser_id: id }, 'offer_id'),
);

/**
 * Returns the groups of a response in one form, items sorted by `insertion_order`. Accepts an array of groups, an array of
 * arrays of items, an array of items, a map of arrays with `recommendation_group_properties` beside it, and no groups at
 * all. See docs/wire.md#what-the-widget-accepts.
 */
export function readGroups(response: unknown, recommendations: unknown): RecommendationGroup[] {
  const json = own(response, 'recommendation_groups');
  const groups: RecommendationGroup[] = [];

  function add(items: unknown, properties?: unknown, name = `group_${groups.length}`): void {
    const group = readFields(GROUP, properties, {});
    const read = readItems(items, {}) ?? [];
    groups.push({
      ...group,
      id: group.id ?? name,
      items: read.map((item) => ({ ...item, insertion_id: item.insertion_id ?? item.offer_id })),
    });
  }

  if (Array.isArray(json)) {
    const bare = json.filter((entry) => !Array.isArray(entry) && !Array.isArray(own(entry, 'items')));
    for (const entry of json) {
      if (Array.isArray(entry)) add(entry);
      else if (Array.isArray(own(entry, 'items'))) add(own(entry, 'items'), entry);
    }
    if (bare.length > 0) add(bare);
  } else if (isObject(json)) {
    for (const key of Object.keys(json)) {
      const entry = own(json, key);
      const properties = own(own(response, 'recommendation_group_properties'), key);
      add(Array.isArray(entry) ? entry : own(entry, 'items'), properties ?? entry, key);
    }
  }
  // Without groups, the offers are one, in their own order.
  if (!groups[0] && isObject(recommendations)) add(Object.keys(recommendations).map((offer_id) => ({ offer_id })));
  return groups;
}
