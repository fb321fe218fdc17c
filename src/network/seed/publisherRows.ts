import { brandKey, domainKey } from '../channel/publishers/normalForm.ts';
import type { Queries } from '../database/database.ts';
import { createKey } from '../keys/storedKeys.ts';
import { DEMO_REQUESTS, DEMO_SHOPS, type DemoPublisher } from './publishers.ts';
import type { NewTenant } from './tenant.ts';
import { insert } from './insert.ts';
import { stableId } from './stableId.ts';
import { subcategoryId } from './taxonomy.ts';

const DAY_MS = 24 * 3_600_000;

/** The publisher_remote_id of a demo shop. */
export function publisherId(domain: string): string {
  return stableId('publisher', domain);
}

/** Inserts the demo's publishers with their publishable keys, and its pending and rejected requests. */
export async function insertPublishers(db: Queries, tenant: NewTenant & { channelId: string }): Promise<void> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (const shop of DEMO_SHOPS) {
    const publisherRemoteId = publisherId(shop.domain);
    const { key } = await createKey(db, { ...tenant, kind: 'publishable', publisherId: publisherRemoteId });
    rows.push({
      ...publisherRow(shop, tenant),
      publisher_remote_id: publisherRemoteId,
      api_key: key,
      external_exclusions: (shop.external_exclusions ?? []).map(subcategoryId),
    });
  }
  for (const request of DEMO_REQUESTS) {
    rows.push({ ...publisherRow(request, tenant), publisher_remote_id: null, api_key: null, external_exclusions: [] });
  }
  await insert(db, 'publishers', rows);
}

function publisherRow(
  publisher: DemoPublisher,
  { channelId, now }: { channelId: string; now: Date },
): Readonly<Record<string, unknown>> {
  const created_at = new Date(now.getTime() - publisher.requested_days_ago * DAY_MS);
  return {
    pending_publisher_id: stableId('request', publisher.domain),
    channel_id: channelId,
    brand_name: publisher.brand_name,
    brand_key: brandKey(publisher.brand_name),
    domain: publisher.domain,
    domain_key: domainKey(publisher.domain),
    primary_category_id: stableId('category', publisher.primary_category),
    subcategory_ids: publisher.subcategories.map(subcategoryId),
    status: publisher.status,
    staff_notes: publisher.staff_notes ?? '',
    publisher_exclusions: [],
    created_at,
    // Staff decide about a request on the next day.
    updated_at: publisher.status === 'PENDING' ? created_at : new Date(created_at.getTime() + DAY_MS),
  };
}
