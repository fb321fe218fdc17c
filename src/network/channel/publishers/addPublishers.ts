import type { AddResult, CreateRequest } from '../../../wire/channel.ts';
import { badFields } from '../badFields.ts';
import { readCategories } from '../categories.ts';
import type { ChannelCall } from '../channelRoute.ts';
import { brandKey } from './normalForm.ts';
import { type CheckedItem, readItems } from './readItems.ts';
import { readObject } from '../readObject.ts';
import { timeOrderedId } from './timeOrderedId.ts';

/** POST add: creates a request for each new item, and reports the others as duplicates (docs/rules.md#c20). */
export async function addPublishers({ request, context, channelId }: ChannelCall): Promise<Response> {
  const body = await readObject(request);
  if (!body.ok) return body.refusal;
  const read = readItems(body.value['items'], await readCategories(context.db));
  if (!read.ok) return badFields({ items: read.messages });
  const now = await context.now();
  const requests = read.items.map((item, index) => ({ item, row: newRow(item, { channelId, now, index }) }));
  // One statement: the unique index decides between concurrent calls, and within a call the first of two duplicates wins.
  const created = await context.db.query<{ pending_publisher_id: string }>(
    `INSERT INTO publishers (${COLUMNS}) SELECT ${COLUMNS} FROM json_populate_recordset(NULL::publishers, $1::json)
     ON CONFLICT (channel_id, brand_key, domain_key) WHERE removed_at IS NULL DO NOTHING RETURNING pending_publisher_id`,
    [JSON.stringify(requests.map(({ row }) => row))],
  );
  const ids = new Set(created.map(({ pending_publisher_id }) => pending_publisher_id));
  const results = requests.map(({ item, row }): AddResult => {
    const { brand_name, domain } = item;
    if (!ids.has(row.pending_publisher_id)) return { brand_name, domain, status: 'duplicate', error: DUPLICATE };
    return { brand_name, domain, status: 'created', create_request: createRequest(item, row) };
  });
  return Response.json({ results }, { status: 201 });
}

const DUPLICATE = 'A create request for this brand and domain already exists.';
const COLUMNS = `pending_publisher_id, channel_id, brand_name, brand_key, domain, domain_key, primary_category_id, subcategory_ids,
  status, staff_notes, external_exclusions, publisher_exclusions, created_at, updated_at`;

interface NewRow {
  readonly pending_publisher_id: string;
  readonly status: string;
  readonly staff_notes: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly [column: string]: unknown;
}

function newRow(item: CheckedItem, { channelId, now, index }: { channelId: string; now: Date; index: number }): NewRow {
  return {
    pending_publisher_id: timeOrderedId(index),
    channel_id: channelId,
    brand_name: item.brand_name,
    brand_key: brandKey(item.brand_name),
    domain: item.domain,
    domain_key: item.domain_key,
    primary_category_id: item.primary_category_id,
    subcategory_ids: item.subcategory_ids,
    status: 'PENDING',
    staff_notes: '',
    external_exclusions: [],
    publisher_exclusions: [],
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
}

function createRequest({ brand_name, domain, category, subcategory_ids }: CheckedItem, row: NewRow): CreateRequest {
  return {
    pending_publisher_id: row.pending_publisher_id,
    status: row.status,
    brand_name,
    domain,
    primary_category: { remote_id: category.remote_id, name: category.name },
    subcategory_ids,
    staff_notes: row.staff_notes,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
