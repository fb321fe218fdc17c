import type { Category, PublisherItem } from '../../../wire/channel.ts';
import { isObject, own } from '../../../wire/json.ts';
import { ADD_MAX_ITEMS } from '../../../wire/limits.ts';
import { domainKey } from './normalForm.ts';
import { isPlainText } from './isPlainText.ts';
import { readSubcategoryIds } from '../exclusions/readSubcategoryIds.ts';
import { readUuid } from '../../database/readUuid.ts';

/** Maximum characters of a brand name or a domain. */
const TEXT_MAX_LENGTH = 255;

/** A valid item with its category. */
export interface CheckedItem extends PublisherItem {
  readonly category: Category;
  readonly domain_key: string;
}

/** Reads the items of POST add, or returns messages about all of them: one invalid item refuses the whole call. */
export function readItems(
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
