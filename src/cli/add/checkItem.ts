import type { PublisherItem } from '../../clients.ts';
import { didYouMean } from '../didYouMean.ts';
import type { Taxonomy } from '../operators/taxonomy.ts';
import { safeText } from '../output/displayWidth.ts';
import type { RawItem } from './readItems.ts';

/** An item that can be sent, or what is wrong with it. */
export type CheckedItem = RawItem & {
  readonly brand_name: string;
  readonly domain: string;
} & ({ readonly item: PublisherItem } | { readonly problem: string });

/** Checks an item as the network would, so that one mistake does not refuse the other 49 of its batch. Categories may be given by id or name. */
export function checkItem(raw: RawItem, taxonomy: Taxonomy): CheckedItem {
  const { fields } = raw;
  const brand_name = textOf(fields['brand_name']);
  const domain = textOf(fields['domain']);
  const base = { ...raw, brand_name, domain };
  if (brand_name === '') return { ...base, problem: 'brand_name is missing' };
  if (domain === '') return { ...base, problem: 'domain is missing' };
  const wanted = textOf(fields['primary_category_id']);
  if (wanted === '') return { ...base, problem: 'primary_category_id is missing' };
  const category = taxonomy.category(wanted);
  if (!category) {
    const near = didYouMean(
      wanted,
      taxonomy.categories.map(({ name }) => name),
    );
    return { ...base, problem: `primary_category_id is not a category: "${safeText(wanted)}".${near}` };
  }
  const listed = listOf(fields['subcategory_ids']);
  if (listed.length === 0) return { ...base, problem: 'subcategory_ids is empty' };
  const subcategory_ids: string[] = [];
  for (const text of listed) {
    const inCategory = category.subcategories.find(({ name }) => name.toLowerCase() === text.toLowerCase());
    const found = inCategory ? { id: inCategory.remote_id } : taxonomy.subcategory(text);
    if ('problem' in found) return { ...base, problem: `subcategory_ids: ${found.problem}` };
    subcategory_ids.push(found.id);
  }
  const own = new Set(category.subcategories.map(({ remote_id }) => remote_id));
  if (!subcategory_ids.some((id) => own.has(id)))
    return { ...base, problem: `subcategory_ids has none of the category ${safeText(category.name)}` };
  return { ...base, item: { brand_name, domain, primary_category_id: category.remote_id, subcategory_ids } };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}

/** In CSV, several are separated by a semicolon, a bar or white space between ids; names may contain spaces. */
function listOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(textOf).filter((text) => text !== '');
  const text = textOf(value);
  const isIds = /^[0-9a-f-]{36}(\s+[0-9a-f-]{36})*$/i.test(text);
  return text
    .split(isIds ? /\s+/ : /[;|,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
