import type { Category } from '../../../wire/channel.ts';
import { readUuid } from '../../database/readUuid.ts';

/** Reads a list of subcategory ids, in order and in lower case, or returns what is wrong with it. */
export function readSubcategoryIds(
  value: unknown,
  categories: readonly Category[],
): { ok: true; ids: readonly string[] } | { ok: false; messages: readonly string[] } {
  if (value === undefined || value === null)
    return refuse('This field is required. Use a list of subcategory ids, or [] for none.');
  if (!Array.isArray(value)) return refuse('Expected a list of subcategory ids.');
  const known = new Set(categories.flatMap(({ subcategories }) => subcategories.map(({ remote_id }) => remote_id)));
  const parents = new Set(categories.map(({ remote_id }) => remote_id));
  const ids: string[] = [];
  const messages: string[] = [];
  for (const [index, element] of value.entries()) {
    const id = readUuid(element);
    if (id !== undefined && known.has(id)) ids.push(id);
    else if (typeof element !== 'string') messages.push(`Item ${index}: expected the id of a subcategory as a string.`);
    else if (id !== undefined && parents.has(id))
      messages.push(`Item ${index}: ${id} is a category. Use its subcategories.`);
    else messages.push(`Item ${index}: there is no subcategory ${JSON.stringify(element.slice(0, 64))}.`);
  }
  return messages.length > 0 ? { ok: false, messages } : { ok: true, ids };
}

function refuse(message: string): { ok: false; messages: readonly string[] } {
  return { ok: false, messages: [message] };
}
