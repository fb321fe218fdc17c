import type { PublisherChange } from '../operations/excludeForMany.ts';
import type { PublisherItem } from '../../wire/channel.ts';
import { own, parseJson, readCappedText } from '../../wire/json.ts';
import { CHANNEL_BODY_MAX_BYTES } from '../../wire/limits.ts';

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

function text(value: unknown, name: string): string {
  const found = own(value, name);
  if (typeof found !== 'string') throw new TypeError(`${name} must be a text.`);
  return found;
}

/** The publishers of POST exclusions-of-many, each with what to add to its list or to take from it. */
export function readChanges(body: unknown): {
  readonly kind: 'add' | 'remove';
  readonly changes: readonly PublisherChange[];
} {
  const changes = own(body, 'changes');
  if (!Array.isArray(changes)) throw new TypeError('changes is missing.');
  return {
    kind: text(body, 'kind') === 'remove' ? 'remove' : 'add',
    changes: changes.map((change: unknown) => ({
      publisher_id: text(change, 'publisher_id'),
      subcategory_ids: texts(change, 'subcategory_ids'),
    })),
  };
}

/** A list of texts that a body has. */
export function texts(value: unknown, name: string): string[] {
  const found = own(value, name);
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
