import type { ListedPublisher } from './readPublisherList.ts';
import type { Taxonomy } from './taxonomy.ts';
import type { PublisherItem } from '../../wire/channel.ts';
import { didYouMean } from '../../text/didYouMean.ts';

/** A domain, with or without scheme and path; the network has the last word. */
const DOMAIN = /^([a-z][a-z0-9+.-]*:\/\/)?[^\s/@?#]+\.[^\s/@?#.]{2,}([/?#].*)?$/i;

/** Characters of a name or a domain that the network accepts. */
const MAX_LENGTH = 255;

/** A publisher that can be requested, or what is wrong with it. */
export type CheckedPublisher = ListedPublisher & {
  readonly brand_name: string;
  readonly domain: string;
} & ({ readonly item: PublisherItem } | { readonly problem: string });

/** Checks a publisher as the network would, because it refuses a whole batch for one mistake. Categories are named by id or name. */
function checkPublisher(listed: ListedPublisher, taxonomy: Taxonomy): CheckedPublisher {
  const { fields, malformed } = listed;
  const brand_name = trimmed(fields['brand_name']);
  const domain = trimmed(fields['domain']);
  const base = { ...listed, brand_name, domain };
  if (malformed !== undefined) return { ...base, problem: malformed };
  if (brand_name === '') return { ...base, problem: 'brand_name is missing' };
  if (domain === '') return { ...base, problem: 'domain is missing' };
  if (!DOMAIN.test(domain))
    return { ...base, problem: `domain is not a domain: "${domain}". Use something like shop.example.` };
  for (const [name, text] of [
    ['brand_name', brand_name],
    ['domain', domain],
  ] as const) {
    if (/[\p{Cc}\p{Cs}]/u.test(text)) return { ...base, problem: `${name} has control characters` };
    if (text.length > MAX_LENGTH) return { ...base, problem: `${name} has more than ${MAX_LENGTH} characters` };
  }
  const wanted = trimmed(fields['primary_category_id']);
  if (wanted === '') return { ...base, problem: 'primary_category_id is missing' };
  const category = taxonomy.category(wanted);
  if (!category) {
    const near = didYouMean(
      wanted,
      taxonomy.categories.map(({ name }) => name),
    );
    return { ...base, problem: `primary_category_id is not a category: "${wanted}".${near}` };
  }
  const names = splitList(fields['subcategory_ids']);
  if (names.length === 0) return { ...base, problem: 'subcategory_ids is empty' };
  const subcategory_ids: string[] = [];
  for (const text of names) {
    const inCategory = category.subcategories.find(({ name }) => name.toLowerCase() === text.toLowerCase());
    const found = inCategory ? { id: inCategory.remote_id } : taxonomy.subcategory(text);
    if ('problem' in found) return { ...base, problem: `subcategory_ids: ${found.problem}` };
    subcategory_ids.push(found.id);
  }
  const own = new Set(category.subcategories.map(({ remote_id }) => remote_id));
  if (!subcategory_ids.some((id) => own.has(id)))
    return { ...base, problem: `subcategory_ids needs one of the category ${category.name}` };
  return { ...base, item: { brand_name, domain, primary_category_id: category.remote_id, subcategory_ids } };
}

function trimmed(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}

/** In CSV, several are separated by a semicolon, a bar or white space between ids; names may contain spaces. */
function splitList(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(trimmed).filter((text) => text !== '');
  const text = trimmed(value);
  const isIds = /^[0-9a-f-]{36}(\s+[0-9a-f-]{36})*$/i.test(text);
  return text
    .split(isIds ? /\s+/ : /[;|,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Checks a whole list: a publisher that is in it twice is requested once. */
export function checkPublishers(list: readonly ListedPublisher[], taxonomy: Taxonomy): CheckedPublisher[] {
  const lines = new Map<string, number>();
  return list.map((listed) => {
    const checked = checkPublisher(listed, taxonomy);
    if (!('item' in checked)) return checked;
    const { line, brand_name, domain } = checked;
    const key = `${keyOf(brand_name)} ${hostOf(domain)}`;
    const before = lines.get(key);
    if (before === undefined) lines.set(key, line);
    return before === undefined ? checked : { ...listed, brand_name, domain, problem: `is in line ${before} already` };
  });
}

/** Returns a name as the network compares it. */
export function keyOf(name: string): string {
  return name.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase();
}

/** The domain as the network compares it: without scheme, `www.` and path. */
function hostOf(domain: string): string {
  const url = `https://${domain.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\.|\.+$/g, '') : domain;
}
