import type { Category } from '../../wire/channel.ts';
import { stableId } from './stableId.ts';

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
