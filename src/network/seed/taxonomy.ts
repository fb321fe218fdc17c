import { createHash } from 'node:crypto';
import type { Category } from '../../wire/channel.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'Beauty & Personal Care': ['Fragrance', 'Hair Care', 'Shaving', 'Skin Care'],
  'Education & Learning': ['Languages', 'Music Lessons', 'Online Courses'],
  'Entertainment & Media': ['Audiobooks', 'Games', 'Magazines', 'Video Streaming'],
  'Fashion & Accessories': ['Bags & Luggage', 'Jewellery', 'Shoes', 'Socks & Basics'],
  'Finance & Insurance': ['Budgeting', 'Pet Insurance', 'Travel Insurance'],
  'Food & Drink': ['Coffee', 'Meal Kits', 'Oils & Pantry', 'Snacks', 'Tea', 'Wine'],
  'Health & Wellness': ['Sleep & Meditation', 'Vitamins', 'Yoga & Fitness'],
  'Home & Garden': ['Candles', 'House Plants', 'Kitchen', 'Stationery'],
  'Mobile & Internet': ['Phone Accessories', 'Phone Plans'],
  Pets: ['Pet Food', 'Pet Toys'],
  'Travel & Outdoors': ['Camping', 'City Tours', 'Hotels'],
};

/** The categories and subcategories of every seed, with ids that never change. */
export const TAXONOMY: readonly Category[] = Object.entries(NAMES).map(([name, subcategories]) => ({
  remote_id: stableId('category', name),
  name,
  subcategories: subcategories.map((child) => ({ remote_id: subcategoryId(child), name: child })),
}));

/** The id of the subcategory with this name. */
export function subcategoryId(name: string): string {
  return stableId('subcategory', name);
}

/** The id of the category that has the subcategory with this name. */
export function categoryIdOf(subcategory = ''): string | undefined {
  const id = subcategoryId(subcategory);
  return TAXONOMY.find(({ subcategories }) => subcategories.some(({ remote_id }) => remote_id === id))?.remote_id;
}

/** The UUID for a name. It never changes: demo ids are the same on every machine and after every reset. */
export function stableId(kind: string, name: string): string {
  const hex = createHash('sha256').update(`offerlet/${kind}/${name}`).digest('hex');
  // Version 8 (RFC 9562) leaves the meaning of the bits to the application.
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
