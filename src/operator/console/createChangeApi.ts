import type { ChannelClient } from '../clients/ChannelClient.ts';
import type { ConsoleAdded } from './protocol.ts';
import type { PublisherItem } from '../../wire/channel.ts';
import { isObject, own, parseJson, readCappedText } from '../../wire/json.ts';
import { CHANNEL_BODY_MAX_BYTES } from '../../wire/limits.ts';

/** Creates the calls that change the channel. */
export function createChangeApi(channel: ChannelClient): {
  add(items: readonly PublisherItem[]): Promise<ConsoleAdded>;
  remove(id: string): Promise<unknown>;
  exclude(change: Excluded): Promise<unknown>;
} {
  return {
    add: async (items) => ({ results: await channel.add(items) }),
    async remove(id) {
      await channel.remove(id);
      return { ok: true };
    },
    /** Changes nothing when the list is no longer the one that the page showed: the API replaces it whole, so somebody else's change would be lost. */
    async exclude({ publisher: id, subcategory_ids: after, base, signal }) {
      const before =
        id === undefined
          ? (await channel.details({ signal })).exclusions.subcategories.channel
          : (await channel.publisher(id, { signal })).exclusions.subcategories.publisher;
      if (before.toSorted().join() !== base.toSorted().join())
        return json({ code: 'changed', message: 'Somebody has changed these exclusions meanwhile.' }, 409);
      await (id === undefined ? channel.setChannelExclusions(after) : channel.setPublisherExclusions(id, after));
      return { ok: true };
    },
  };
}

/** A list of exclusions that is replaced. */
interface Excluded extends ExclusionChange {
  /** Whose list; undefined for the whole channel. */
  readonly publisher: string | undefined;
  readonly signal: AbortSignal;
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

/** Reads a JSON body. Throws a TypeError when it is too large or not JSON. */
export async function readBody(request: Request): Promise<unknown> {
  if (!request.headers.get('content-type')?.startsWith('application/json'))
    throw new TypeError('The body must be JSON.');
  const text = await readCappedText(request, CHANNEL_BODY_MAX_BYTES);
  if (text === undefined) throw new TypeError('The body is too large.');
  const json = parseJson(text);
  if (json === undefined) throw new TypeError('The body is not JSON.');
  return json;
}

/** A response with a body of JSON. */
export function json(body: unknown, status = 200): Response {
  return Response.json(body, { status });
}

/** For a path that this console does not have. */
export function noSuchCall(): Response {
  return json({ code: 'not_found', message: 'This call does not exist.' }, 404);
}
