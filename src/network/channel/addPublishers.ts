import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import type { AddResult, CreateRequest, Category, PublisherItem } from '../../wire/channel.ts';
import { isObject, own, readUuid } from '../../wire/json.ts';
import { ADD_MAX_ITEMS } from '../../wire/limits.ts';
import { badFields, readCategories, type ChannelCall, readObject, readSubcategoryIds } from './channelRoute.ts';

/** POST add: creates a request for each new item, and reports the others as duplicates (src/network/contract/rules.md#c20). */
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
  readonly status: 'PENDING';
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

/** Maximum characters of a brand name or a domain. */
const TEXT_MAX_LENGTH = 255;

/** A valid item with its category. */
interface CheckedItem extends PublisherItem {
  readonly category: Category;
  readonly domain_key: string;
}

/** Reads the items of POST add, or returns messages about all of them: one invalid item refuses the whole call. */
function readItems(
  value: unknown,
  categories: readonly Category[],
): { ok: true; items: CheckedItem[] } | { ok: false; messages: string[] } {
  if (value === undefined || value === null)
    return { ok: false, messages: [`This field is required. Use a list of 1 to ${ADD_MAX_ITEMS} items.`] };
  if (!Array.isArray(value) || value.length < 1 || value.length > ADD_MAX_ITEMS) {
    return { ok: false, messages: [`Expected a list of 1 to ${ADD_MAX_ITEMS} items.`] };
  }
  const messages: string[] = [];
  const items: CheckedItem[] = [];
  for (const [index, element] of value.entries()) {
    const item = readItem(element, categories, (field, message) =>
      messages.push(`items[${index}]${field && `.${field}`}: ${message}`),
    );
    if (item) items.push(item);
  }
  return messages.length > 0 ? { ok: false, messages } : { ok: true, items };
}

function readItem(
  element: unknown,
  categories: readonly Category[],
  report: (field: string, message: string) => void,
): CheckedItem | undefined {
  if (!isObject(element)) {
    report('', 'expected an object with brand_name, domain, primary_category_id and subcategory_ids.');
    return undefined;
  }
  const text = (field: string): string | undefined =>
    readText(own(element, field), (message) => report(field, message));
  const brand_name = text('brand_name');
  const domain = text('domain');
  const domain_key = domain === undefined ? undefined : domainKey(domain);
  if (domain !== undefined && domain_key === undefined)
    report('domain', 'expected the domain of a website, such as shop.example.');
  const primary_category_id = text('primary_category_id');
  const id = readUuid(primary_category_id);
  const category = categories.find(({ remote_id }) => remote_id === id);
  if (primary_category_id !== undefined && !category)
    report('primary_category_id', 'there is no category with this id.');
  const subcategory_ids = readSubcategories(own(element, 'subcategory_ids'), categories, category, (message) =>
    report('subcategory_ids', message),
  );
  if (!brand_name || !domain || !domain_key || !category || !subcategory_ids) return undefined;
  return { brand_name, domain, domain_key, primary_category_id: category.remote_id, category, subcategory_ids };
}

function readText(value: unknown, report: (message: string) => void): string | undefined {
  if (value === undefined || value === null) report('this field is required.');
  else if (typeof value !== 'string') report('expected a string.');
  else if (value.trim() === '') report('this field may not be blank.');
  else if (value.length > TEXT_MAX_LENGTH) report(`expected at most ${TEXT_MAX_LENGTH} characters.`);
  else if (!isPlainText(value.trim())) report('expected text without control characters.');
  else return value.trim();
  return undefined;
}

function readSubcategories(
  value: unknown,
  categories: readonly Category[],
  primary: Category | undefined,
  report: (message: string) => void,
): readonly string[] | undefined {
  const list = readSubcategoryIds(value, categories);
  if (!list.ok) {
    list.messages.forEach(report);
    return undefined;
  }
  if (list.ids.length === 0) report('expected at least one subcategory.');
  else if (primary && !primary.subcategories.some(({ remote_id }) => list.ids.includes(remote_id))) {
    report(`expected at least one subcategory of the primary category ${primary.name}.`);
  } else return list.ids;
  return undefined;
}

/** Normalizes a brand name for comparison: case, width and spacing do not matter. */
export function brandKey(brandName: string): string {
  return brandName.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** Normalizes a domain for comparison: punycode without scheme, path, port, `www.` and final dot. `undefined` if it is not a domain. */
export function domainKey(domain: string): string | undefined {
  const host = domain
    .trim()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '');
  const ascii = domainToASCII(host.replace(/[.。．｡]+$/u, ''))
    .toLowerCase()
    .replace(/^www\./, '');
  return isHostName(ascii) ? ascii : undefined;
}

/** Whether a name has at least two labels (RFC 1123) and is not an IP address: a brand's website has a domain. */
function isHostName(host: string): boolean {
  const labels = host.split('.');
  return (
    host.length <= 253 &&
    labels.length >= 2 &&
    labels.every((label) => /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}

/** Whether a text has neither control characters nor lone surrogates. PostgreSQL can store neither U+0000 nor lone surrogates. */
export function isPlainText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}

/**
 * Returns a UUID (version 7) that sorts after all earlier ones. "Newest first" therefore holds even within a
 * millisecond and while the network's clock is stopped. `index` (0 to 63) orders the ids of one call.
 */
export function timeOrderedId(index: number): string {
  const now = performance.timeOrigin + performance.now();
  const milliseconds = Math.floor(now);
  const part = Math.floor((now - milliseconds) * 64);
  const time = milliseconds.toString(16).padStart(12, '0');
  const order = ((part << 6) | index).toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}${randomUUID().slice(18)}`;
}
