import { parseCsv, type CsvRecord } from '../../../cli/input/parseCsv.ts';
import type { Category, PublisherItem } from '../../../wire/channel.ts';

/** One row of a list to add: what was written, and either the item or what is wrong with it. */
export interface ReadItem {
  readonly line: number;
  readonly brand_name: string;
  readonly domain: string;
  readonly item: PublisherItem | undefined;
  readonly problem: string | undefined;
}

/** The columns, and other names that people give them. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  brand_name: ['brand_name', 'brand', 'name'],
  domain: ['domain', 'website'],
  primary_category_id: ['primary_category_id', 'primary_category', 'category'],
  subcategory_ids: ['subcategory_ids', 'subcategories', 'subcategory'],
};

/**
 * Reads publishers from CSV. Categories are written by id or by name; several subcategories are separated by a semicolon or a
 * bar. Every row is checked as the network would, because it refuses a whole batch for one mistake.
 */
export function readItems(
  text: string,
  categories: readonly Category[],
): { items: ReadItem[]; problem: string | undefined } {
  let lines: CsvRecord[];
  try {
    lines = parseCsv(text);
  } catch (error) {
    return { items: [], problem: (error as Error).message };
  }
  const [head, ...records] = lines;
  if (!head) return { items: [], problem: undefined };
  const names = head.cells.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_'),
  );
  const place = new Map(
    Object.entries(COLUMNS).map(([column, known]) => [column, names.findIndex((name) => known.includes(name))]),
  );
  const missing = [...place].filter(([, index]) => index < 0).map(([column]) => column);
  if (missing.length > 0)
    return { items: [], problem: `The first line must name the columns; missing: ${missing.join(', ')}.` };
  const seen = new Set<string>();
  const items = records.map(({ line, cells }) => {
    const cell = (column: string): string => cells[place.get(column) ?? -1]?.trim() ?? '';
    const read = readItem({ line, cell }, categories);
    const key = `${read.brand_name.toLowerCase()} ${read.domain.toLowerCase()}`;
    const isTwice = read.item !== undefined && seen.has(key);
    seen.add(key);
    return isTwice ? { ...read, item: undefined, problem: 'is in this list twice' } : read;
  });
  return { items, problem: undefined };
}

function readItem(
  { line, cell }: { line: number; cell(column: string): string },
  categories: readonly Category[],
): ReadItem {
  const brand_name = cell('brand_name');
  const domain = cell('domain');
  const wrong = (problem: string): ReadItem => ({ line, brand_name, domain, item: undefined, problem });
  if (brand_name === '') return wrong('brand_name is missing');
  if (!/^[^\s/@]+\.[^\s/@.]{2,}$/.test(domain)) return wrong('domain must be one such as shop.example');
  const category = find(categories, cell('primary_category_id'));
  if (!category) return wrong(`there is no category "${cell('primary_category_id')}"`);
  const all = categories.flatMap(({ subcategories }) => subcategories);
  const words = cell('subcategory_ids')
    .split(/[;|]/)
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) return wrong('subcategory_ids is empty');
  const subcategory_ids: string[] = [];
  for (const word of words) {
    const found = find(category.subcategories, word) ?? find(all, word);
    if (!found) return wrong(`there is no subcategory "${word}"`);
    subcategory_ids.push(found.remote_id);
  }
  if (!category.subcategories.some(({ remote_id }) => subcategory_ids.includes(remote_id)))
    return wrong(`one subcategory must belong to ${category.name}`);
  const item = { brand_name, domain, primary_category_id: category.remote_id, subcategory_ids };
  return { line, brand_name, domain, item, problem: undefined };
}

function find<Named extends { readonly remote_id: string; readonly name: string }>(
  list: readonly Named[],
  word: string,
): Named | undefined {
  const wanted = word.toLowerCase();
  return list.find(({ remote_id, name }) => remote_id.toLowerCase() === wanted || name.toLowerCase() === wanted);
}
