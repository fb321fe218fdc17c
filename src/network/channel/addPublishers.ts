import { randomUUID } from 'node:crypto';
import { domainToASCII } from 'node:url';
import * as v from 'valibot';
import type { AddResult, CreateRequest, Category } from '../../wire/channel.ts';
import { isObject, type JsonObject } from '../../wire/json.ts';
import { ADD_MAX_ITEMS } from '../../wire/limits.ts';
import { type ChannelCall, IDS_REQUIRED, readBody, subcategoryIds } from './channelRoute.ts';

/** POST add: creates a request for each new item, and reports the others as duplicates (src/network/contract/rules.md#c20). */
export async function addPublishers({ request, context, channelId }: ChannelCall): Promise<Response> {
  const body = await readBody(request, context.db, addBody);
  if (body instanceof Response) return body;
  const now = await context.now();
  const requests = body.items.map((item, index) => ({ item, row: newRow(item, { channelId, now, index }) }));
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

function newRow(item: Item, { channelId, now, index }: { channelId: string; now: Date; index: number }): NewRow {
  return {
    pending_publisher_id: timeOrderedId(index),
    channel_id: channelId,
    brand_name: item.brand_name,
    brand_key: brandKey(item.brand_name),
    domain: item.domain,
    domain_key: domainKey(item.domain),
    primary_category_id: item.primary_category_id.remote_id,
    subcategory_ids: item.subcategory_ids,
    status: 'PENDING',
    staff_notes: '',
    external_exclusions: [],
    publisher_exclusions: [],
    created_at: now.toISOString(),
    updated_at: now.toISOString(),
  };
}

function createRequest(item: Item, row: NewRow): CreateRequest {
  const { brand_name, domain, primary_category_id: category, subcategory_ids } = item;
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

const REQUIRED = 'this field is required.';
/** Maximum characters of a brand name or a domain. */
const TEXT_MAX_LENGTH = 255;

const text = v.config(
  v.pipe(
    v.string(({ input }) => (input === null ? REQUIRED : 'expected a string.')),
    v.check((value) => value.trim() !== '', 'this field may not be blank.'),
    v.check(({ length }) => length <= TEXT_MAX_LENGTH, `expected at most ${TEXT_MAX_LENGTH} characters.`),
    v.check((value) => isPlainText(value.trim()), 'expected text without control characters.'),
    v.trim(),
  ),
  { abortPipeEarly: true },
);

interface Item {
  readonly brand_name: string;
  readonly domain: string;
  readonly primary_category_id: Category;
  readonly subcategory_ids: readonly string[];
}

/** One item of POST add. */
export function publisherItem(categories: readonly Category[]): v.GenericSchema<unknown, Item> {
  return v.pipe(
    v.custom<JsonObject>(
      isObject,
      'expected an object with brand_name, domain, primary_category_id and subcategory_ids.',
    ),
    v.object(
      {
        brand_name: text,
        domain: v.pipe(
          text,
          v.check((value) => domainKey(value) !== undefined, 'expected the domain of a website, such as shop.example.'),
          v.description('The domain of the brand’s website.'),
        ),
        primary_category_id: v.pipe(
          text,
          v.metadata({ format: 'uuid' }),
          v.rawTransform(({ dataset, addIssue, NEVER }) => {
            const category = categories.find(({ remote_id }) => remote_id === dataset.value.toLowerCase());
            if (!category) addIssue({ message: 'there is no category with this id.' });
            return category ?? NEVER;
          }),
        ),
        subcategory_ids: v.pipe(
          subcategoryIds(categories),
          v.minLength(1, 'expected at least one subcategory.'),
          v.description('At least one belongs to the primary category.'),
        ),
      },
      ({ expected }) => (expected === '"subcategory_ids"' ? IDS_REQUIRED : REQUIRED),
    ),
    v.forward(
      v.partialCheck(
        [['primary_category_id'], ['subcategory_ids']],
        ({ primary_category_id: { subcategories }, subcategory_ids: ids }) =>
          ids.length === 0 || subcategories.some(({ remote_id }) => ids.includes(remote_id)),
        ({ input }) => `expected at least one subcategory of the primary category ${input.primary_category_id.name}.`,
      ),
      ['subcategory_ids'],
    ),
  );
}

/** The body of POST add. The length of the list is checked before its items: one invalid item refuses the whole call. */
export function addBody(categories: readonly Category[]): v.GenericSchema<unknown, { items: Item[] }> {
  const range = `list of 1 to ${ADD_MAX_ITEMS} items.`;
  const required = `This field is required. Use a ${range}`;
  const items = v.pipe(
    v.unknown(),
    v.check(
      (list) => Array.isArray(list) && list.length >= 1 && list.length <= ADD_MAX_ITEMS,
      ({ input }) => (input === null ? required : `Expected a ${range}`),
    ),
    v.array(publisherItem(categories)),
  );
  return v.object({ items }, required);
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
