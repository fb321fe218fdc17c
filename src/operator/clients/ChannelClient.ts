import { connect, type ApiCall, type ApiResponse, type CallOptions, type ClientOptions } from '../../http/connect.ts';
import { type AddOutcome, addPublishers } from '../publishers/addPublishers.ts';
import { ApiError, ConflictError, failureOf, NotFoundError, OPERATOR } from './errors.ts';
import {
  CHANNEL_PATHS,
  type AddResult,
  type Category,
  type ChannelDetails,
  type Publisher,
  type PublisherDetail,
  type PublisherItem,
  type PublisherList,
  type PublisherStatus,
} from '../../wire/channel.ts';
import { isObject, own } from '../../wire/json.ts';
import { LIST_PAGE_SIZE } from '../../wire/limits.ts';

/** Which publishers to list, and which page of the list. */
export interface PublisherQuery {
  /** Words of the name; a publisher matches when one of them does. */
  readonly q?: string | undefined;
  /** Starts at 1. */
  readonly page?: number | undefined;
  /** 1 to 200; 50 by default. */
  readonly pageSize?: number | undefined;
}

/** Which publishers `allPublishers` yields. */
export interface AllPublishersQuery extends Omit<PublisherQuery, 'page'> {
  /** Only those with this status. The API has no such filter, so all pages are read all the same. */
  readonly status?: PublisherStatus | undefined;
}

/** Times that exclusions are added when somebody else replaces them meanwhile. */
const ADD_ATTEMPTS = 5;

/** Client of the Channel API: publishers, categories and exclusions of the channel that owns the key. */
export class ChannelClient {
  readonly #call: ReturnType<typeof connect>;

  constructor(options: ClientOptions) {
    this.#call = connect(options, OPERATOR);
  }

  /** Returns the categories with their subcategories, both sorted by name. */
  async categories(options: CallOptions = {}): Promise<readonly Category[]> {
    const { json, unexpected } = await this.#send({ method: 'GET', path: CHANNEL_PATHS.categories }, options);
    const categories = own(json, 'categories');
    if (!Array.isArray(categories)) throw unexpected('a list of categories');
    return categories as readonly Category[];
  }

  /** Returns the channel's name and the subcategories that it excludes for all its publishers. */
  async details(options: CallOptions = {}): Promise<ChannelDetails> {
    const { json, unexpected } = await this.#send({ method: 'GET', path: CHANNEL_PATHS.channelDetails }, options);
    const channel = own(json, 'channel');
    if (!isObject(channel)) throw unexpected('a channel');
    return channel as unknown as ChannelDetails;
  }

  /** Returns one page of publishers and pending requests, newest first. */
  async publishers({ q, page, pageSize }: PublisherQuery = {}, options: CallOptions = {}): Promise<PublisherList> {
    const query = new URLSearchParams();
    if (q !== undefined) query.set('q', q);
    if (page !== undefined) query.set('page', String(page));
    if (pageSize !== undefined) query.set('page_size', String(pageSize));
    const { json, unexpected } = await this.#send({ method: 'GET', path: CHANNEL_PATHS.publishers, query }, options);
    if (!isObject(json) || !Array.isArray(json['publishers'])) throw unexpected('a list of publishers');
    return json as unknown as PublisherList;
  }

  /** Iterates over all publishers and pending requests, newest first, each once even if new ones arrive meanwhile. */
  async *allPublishers(
    { q, status, pageSize = LIST_PAGE_SIZE.max }: AllPublishersQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<Publisher> {
    const seen = new Set<string | null>();
    for (let page = 1; ; page++) {
      const before = seen.size;
      const list = await this.publishers({ q, page, pageSize }, options).catch((error: unknown) => {
        // The list may have become shorter since the previous page was read.
        if (page > 1 && error instanceof NotFoundError) return undefined;
        throw error;
      });
      for (const publisher of list?.publishers ?? []) {
        const id = publisher.publisher_remote_id ?? publisher.pending_publisher_id;
        if (seen.has(id)) continue;
        seen.add(id);
        if (status === undefined || publisher.status === status) yield publisher;
      }
      // `next` is not followed: a URL from a response must not receive the key.
      if (!list?.next || list.publishers.length === 0) return;
      // New publishers move the others on, but not by a whole page.
      if (seen.size === before)
        throw new ApiError(`GET ${CHANNEL_PATHS.publishers} returns the same publishers on every page.`, {
          status: 200,
        });
    }
  }

  /** Returns one publisher by its remote id, or one pending request by its pending id. */
  async publisher(id: string, options: CallOptions = {}): Promise<PublisherDetail> {
    const path = CHANNEL_PATHS.publisher(checkId(id));
    const { json, unexpected } = await this.#send({ method: 'GET', path }, options);
    const publisher = own(json, 'publisher');
    if (!isObject(publisher)) throw unexpected('a publisher');
    return publisher as unknown as PublisherDetail;
  }

  /** Requests 1 to 50 publishers to be added. Returns one result for each, in order. A duplicate is a result, not an error. */
  async add(items: readonly PublisherItem[], options: CallOptions = {}): Promise<readonly AddResult[]> {
    const call = { method: 'POST', path: CHANNEL_PATHS.add, body: { items } } as const;
    const { json, unexpected } = await this.#send(call, options);
    const results = own(json, 'results');
    if (!Array.isArray(results) || results.length !== items.length) throw unexpected('one result for each item');
    return results as readonly AddResult[];
  }

  /**
   * Requests any number of publishers to be added, 50 at a time. Resolves to the outcome of each, in order; an item that is
   * refused does not stop the others. Rejects when the network refuses the key or stays unreachable; `onOutcome` has been called
   * with the index and the outcome of each item by then.
   */
  async addAll(
    items: readonly PublisherItem[],
    { onOutcome, ...options }: CallOptions & { onOutcome?(index: number, outcome: AddOutcome): void } = {},
  ): Promise<readonly AddOutcome[]> {
    const outcomes: AddOutcome[] = [];
    await addPublishers({
      items,
      signal: options.signal,
      send: (batch) => this.add(batch, options),
      failureOf: (error) => (error instanceof ApiError ? failureOf(error) : undefined),
      onOutcome(index, outcome) {
        outcomes[index] = outcome;
        onOutcome?.(index, outcome);
      },
    });
    return outcomes;
  }

  /** Removes an approved publisher from the channel. */
  async remove(id: string, options: CallOptions = {}): Promise<void> {
    const path = CHANNEL_PATHS.remove(checkId(id));
    const { status, unexpected } = await this.#send({ method: 'DELETE', path }, options);
    if (status !== 204) throw unexpected('the status 204');
  }

  /** Excludes more subcategories for all publishers of the channel. Others stay, unless two add in the same moment. */
  async addChannelExclusions(subcategory_ids: readonly string[], options: CallOptions = {}): Promise<void> {
    await addMissing(subcategory_ids, {
      read: async () => (await this.details(options)).exclusions.subcategories.channel,
      replace: (ids) => this.setChannelExclusions(ids, options),
    });
  }

  /** Excludes more subcategories for one publisher. Other exclusions stay. */
  async addPublisherExclusions(
    id: string,
    subcategory_ids: readonly string[],
    options: CallOptions = {},
  ): Promise<void> {
    await addMissing(subcategory_ids, {
      read: async () => (await this.publisher(id, options)).exclusions.subcategories.publisher,
      replace: (ids) => this.setPublisherExclusions(id, ids, options),
    });
  }

  /** Replaces the subcategories that the channel excludes for all its publishers. An empty array clears them. */
  async setChannelExclusions(subcategory_ids: readonly string[], options: CallOptions = {}): Promise<void> {
    await this.#replace(CHANNEL_PATHS.channelExclusions, subcategory_ids, options);
  }

  /** Replaces the subcategories that the channel excludes for one publisher. An empty array clears them. */
  async setPublisherExclusions(
    id: string,
    subcategory_ids: readonly string[],
    options: CallOptions = {},
  ): Promise<void> {
    await this.#replace(CHANNEL_PATHS.publisherExclusions(checkId(id)), subcategory_ids, options);
  }

  async #replace(path: string, subcategory_ids: readonly string[], options: CallOptions): Promise<void> {
    const { json, unexpected } = await this.#send({ method: 'PUT', path, body: { subcategory_ids } }, options);
    if (own(json, 'ok') !== true) throw unexpected('{"ok": true}');
  }

  /** Passes on only what may be set for one call, whatever an untyped caller gave. */
  #send(call: Omit<ApiCall, keyof CallOptions>, { signal, timeout }: CallOptions): Promise<ApiResponse> {
    return this.#call({ ...call, signal, timeout });
  }
}

/** The API can only replace a list. It is read again after each change: what somebody else replaced meanwhile is added again. */
async function addMissing(
  wanted: readonly string[],
  list: { read(): Promise<readonly string[]>; replace(ids: readonly string[]): Promise<void> },
): Promise<void> {
  for (let attempt = 0; attempt <= ADD_ATTEMPTS; attempt++) {
    const ids = await list.read();
    if (wanted.every((id) => ids.includes(id))) return;
    if (attempt < ADD_ATTEMPTS) await list.replace([...new Set([...ids, ...wanted])]);
  }
  throw new ConflictError('Somebody else replaces these exclusions again and again. Try again later.', { status: 409 });
}

/** Refuses ids that change the path: `..` would call another endpoint. */
function checkId(id: unknown): string {
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id.trim())) {
    throw new TypeError('id is not valid. Use a publisher_remote_id or a pending_publisher_id.');
  }
  return id;
}
