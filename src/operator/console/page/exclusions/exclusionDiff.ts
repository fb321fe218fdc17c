import type { Category } from '../../../../wire/channel.ts';

/** What saving would change. */
export interface ExclusionDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Compares two lists of ids, whatever their order. */
export function exclusionDiff(before: readonly string[], after: readonly string[]): ExclusionDiff {
  return {
    added: after.filter((id) => !before.includes(id)),
    removed: before.filter((id) => !after.includes(id)),
  };
}

/** Returns the categories that match the words, each with those subcategories that do; all of a category whose own name does. */
export function searchCategories(categories: readonly Category[], words: string): readonly Category[] {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (name: string): boolean => parts.every((part) => name.toLowerCase().includes(part));
  if (parts.length === 0) return categories;
  return categories.flatMap((category) => {
    if (has(category.name)) return [category];
    const subcategories = category.subcategories.filter(({ name }) => has(name));
    return subcategories.length > 0 ? [{ ...category, subcategories }] : [];
  });
}
