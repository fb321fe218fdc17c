import type { ChannelClient } from '../../clients/ChannelClient.ts';
import type { Publisher, PublisherDetail, PublisherItem } from '../../../wire/channel.ts';
import { isObject, own } from '../../../wire/json.ts';
import { hasWords, rankByWords } from '../../publishers/rankByWords.ts';
import type { ConsolePublisher, ConsolePublishers, FoundPublishers } from '../protocol.ts';

/** Publishers on one page of the list. */
const PAGE_SIZE = 50;

/** GET publishers: one page of those whose name contains a word, and with that status. Names with more of the words come first. */
export async function listPublishers(
  client: ChannelClient,
  { url, signal }: { readonly url: URL; readonly signal: AbortSignal },
): Promise<ConsolePublishers> {
  const q = url.searchParams.get('q')?.trim() || undefined;
  const status = url.searchParams.get('status') || undefined;
  const page = Math.max(1, Number(url.searchParams.get('page')) || 1);
  if (status === undefined && !hasWords(q)) {
    const list = await client.publishers({ q, page, pageSize: PAGE_SIZE }, { signal });
    return { count: list.count, page, page_size: PAGE_SIZE, publishers: list.publishers.map(withoutKey) };
  }
  // The API has no filter for the status, and does not rank what matches: all pages are read.
  const matching: Publisher[] = [];
  for await (const publisher of client.allPublishers({ q }, { signal }))
    if (status === undefined || publisher.status === status) matching.push(withoutKey(publisher));
  const found = rankByWords(matching, q);
  const start = (page - 1) * PAGE_SIZE;
  return { count: found.length, page, page_size: PAGE_SIZE, publishers: found.slice(start, start + PAGE_SIZE) };
}

/** GET find-publishers: approved publishers whose name contains a word. With one word, reading stops when enough are found. */
export async function findPublishers(
  client: ChannelClient,
  { url, signal }: { readonly url: URL; readonly signal: AbortSignal },
): Promise<FoundPublishers> {
  const q = url.searchParams.get('q')?.trim() || undefined;
  const most = Math.max(1, Number(url.searchParams.get('most')) || PAGE_SIZE);
  const found: Publisher[] = [];
  for await (const publisher of client.allPublishers({ q, status: 'APPROVED' }, { signal })) {
    if (publisher.publisher_remote_id !== null) found.push(publisher);
    if (found.length > most && !hasWords(q)) break;
  }
  const publishers = rankByWords(found, q)
    .slice(0, most)
    .flatMap(({ publisher_remote_id: id, brand_name: name }) => (id === null ? [] : [{ id, name }]));
  return { publishers, hasMore: found.length > most };
}

/** GET publishers/ID. */
export async function readPublisher(client: ChannelClient, id: string, signal: AbortSignal): Promise<ConsolePublisher> {
  const [publisher, channel] = await Promise.all([client.publisher(id, { signal }), client.details({ signal })]);
  return { publisher: withoutKey(publisher), channel_exclusions: channel.exclusions.subcategories.channel };
}

/** The items of POST publishers, with these fields and no others. */
export function readItems(body: unknown): PublisherItem[] {
  const items = own(body, 'items');
  if (!Array.isArray(items)) throw new TypeError('items is missing.');
  return items.map((item: unknown) => ({
    brand_name: text(item, 'brand_name'),
    domain: text(item, 'domain'),
    primary_category_id: text(item, 'primary_category_id'),
    subcategory_ids: texts(item, 'subcategory_ids'),
  }));
}

/** A change of exclusions that was made on a page. */
export interface ExclusionChange {
  /** The new list. */
  readonly subcategory_ids: readonly string[];
  /** The list that the page showed. */
  readonly base: readonly string[];
}

/** The body of PUT exclusions. */
export function readExclusionChange(body: unknown): ExclusionChange {
  return { subcategory_ids: texts(body, 'subcategory_ids'), base: texts(body, 'base') };
}

/**
 * Replaces the exclusions of the channel, or of one publisher. Resolves to false, and changes nothing, when the list is no
 * longer the one that the page showed: the API replaces it whole, so somebody else's change would be lost.
 */
export async function replaceExclusions(
  client: ChannelClient,
  change: ExclusionChange & { readonly publisher: string | undefined; readonly signal: AbortSignal },
): Promise<boolean> {
  const { publisher, subcategory_ids, base, signal } = change;
  const current =
    publisher === undefined
      ? (await client.details({ signal })).exclusions.subcategories.channel
      : (await client.publisher(publisher, { signal })).exclusions.subcategories.publisher;
  if (current.toSorted().join() !== base.toSorted().join()) return false;
  if (publisher === undefined) await client.setChannelExclusions(subcategory_ids);
  else await client.setPublisherExclusions(publisher, subcategory_ids);
  return true;
}

/** No key at all reaches the page, not even a publishable one. */
function withoutKey(publisher: Publisher | PublisherDetail): Publisher {
  const { api_key: _key, ...rest } = { api_key: null, ...publisher };
  return rest;
}

function text(value: unknown, name: string): string {
  const found = own(value, name);
  if (typeof found !== 'string') throw new TypeError(`${name} must be a text.`);
  return found;
}

function texts(value: unknown, name: string): string[] {
  const found: unknown = isObject(value) ? own(value, name) : undefined;
  if (!Array.isArray(found) || !found.every((id): id is string => typeof id === 'string'))
    throw new TypeError(`${name} must be a list of texts.`);
  return found;
}
