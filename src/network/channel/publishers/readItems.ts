import type { Category, PublisherItem } from '../../../wire/channel.ts';
import { isObject, own } from '../../../wire/json.ts';
import { ADD_MAX_ITEMS } from '../../../wire/limits.ts';
import { domainKey } from './normalForm.ts';
import { isPlainText } from './isPlainText.ts';
import { readSubcategoryIds } from '../exclusions/readSubcategoryIds.ts';
import { readUuid } from '../../database/readUuid.ts';

/** Characters of a brand name or of a domain as sent. */
const TEXT_MAX_LENGTH = 255;

/** An item that was checked against the categories. */
export interface CheckedItem extends PublisherItem {
  readonly category: Category;
  readonly domain_key: string;
}

/** The items of POST add, or every message about them: one bad item refuses the whole call (C17 to C19). */
export function readItems(
  value: unknown,
  categories: readonly Category[],
): { ok: true; items: CheckedItem[] } | { ok: false; messages: string[] } {
  if (value === undefined || value === null)
    return { ok: false, messages: [`This field is required: a list of 1 to ${ADD_MAX_ITEMS} items.`] };
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
  blame: (field: string, message: string) => void,
): CheckedItem | undefined {
  if (!isObject(element)) {
    blame('', 'expected an object with brand_name, domain, primary_category_id and subcategory_ids.');
    return undefined;
  }
  const text = (field: string): string | undefined => readText(own(element, field), (message) => blame(field, message));
  const brand_name = text('brand_name');
  const domain = text('domain');
  const domain_key = domain === undefined ? undefined : domainKey(domain);
  if (domain !== undefined && domain_key === undefined)
    blame('domain', 'expected the domain of a website, such as shop.example.');
  const primary_category_id = text('primary_category_id');
  const id = readUuid(primary_category_id);
  const category = categories.find(({ remote_id }) => remote_id === id);
  if (primary_category_id !== undefined && !category)
    blame('primary_category_id', 'there is no category with this id.');
  const subcategory_ids = readSubcategories(own(element, 'subcategory_ids'), categories, category, (message) =>
    blame('subcategory_ids', message),
  );
  if (!brand_name || !domain || !domain_key || !category || !subcategory_ids) return undefined;
  return { brand_name, domain, domain_key, primary_category_id: category.remote_id, category, subcategory_ids };
}

function readText(value: unknown, blame: (message: string) => void): string | undefined {
  if (value === undefined || value === null) blame('this field is required.');
  else if (typeof value !== 'string') blame('expected text.');
  else if (value.trim() === '') blame('this field may not be blank.');
  else if (value.length > TEXT_MAX_LENGTH) blame(`expected at most ${TEXT_MAX_LENGTH} characters.`);
  else if (!isPlainText(value.trim())) blame('expected text without control characters.');
  else return value.trim();
  return undefined;
}

function readSubcategories(
  value: unknown,
  categories: readonly Category[],
  primary: Category | undefined,
  blame: (message: string) => void,
): readonly string[] | undefined {
  const list = readSubcategoryIds(value, categories);
  if (!list.ok) {
    list.messages.forEach(blame);
    return undefined;
  }
  if (list.ids.length === 0) blame('expected at least one subcategory.');
  else if (primary && !primary.subcategories.some(({ remote_id }) => list.ids.includes(remote_id))) {
    blame(`expected at least one subcategory of the primary category ${primary.name}.`);
  } else return list.ids;
  return undefined;
}
