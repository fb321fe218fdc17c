import type { Category, Subcategory } from '../../wire/channel.ts';
import type { Queries } from '../database/database.ts';
import type { ChannelCall } from './channelRoute.ts';

/** GET categories. */
export async function getCategories({ context }: ChannelCall): Promise<Response> {
  return Response.json({ categories: await readCategories(context.db) });
}

/** Returns every category with its subcategories, both sorted by name. */
export async function readCategories(db: Queries): Promise<Category[]> {
  const categories = await db.query<Subcategory>('SELECT remote_id, name FROM categories');
  const children = await db.query<Subcategory & { category_id: string }>(
    'SELECT remote_id, name, category_id FROM subcategories',
  );
  return categories.toSorted(byName).map(({ remote_id, name }) => ({
    remote_id,
    name,
    subcategories: children
      .filter(({ category_id }) => category_id === remote_id)
      .toSorted(byName)
      .map((child) => ({ remote_id: child.remote_id, name: child.name })),
  }));
}

/** Case-insensitive, then by code point, then by id. In code, because databases differ in their collations. */
function byName(a: Subcategory, b: Subcategory): number {
  return (
    compare(a.name.toLowerCase(), b.name.toLowerCase()) || compare(a.name, b.name) || compare(a.remote_id, b.remote_id)
  );
}

/** UTF-8 bytes sort like code points. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
