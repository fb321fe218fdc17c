import type { Category } from '../../wire/channel.ts';
import { didYouMean } from '../../text/didYouMean.ts';

/** The categories of the network, found by id and by name. */
export interface Taxonomy {
  readonly categories: readonly Category[];
  /** The name of a subcategory, such as `Food / Tea`; the id when it is unknown. */
  nameOf(id: string): string;
  /** Finds a category by id or name. */
  category(text: string): Category | undefined;
  /** Finds a subcategory by id, name or `Category / Name`. Returns a problem if no subcategory matches, or several do. */
  subcategory(text: string): { readonly id: string } | { readonly problem: string };
  /** Finds one subcategory, or all of a category by its id, its name or `Category / *`. */
  subcategories(text: string): { readonly ids: readonly string[] } | { readonly problem: string };
}

/** Creates a taxonomy of categories. `hint` says where all of them are listed. */
export function createTaxonomy(categories: readonly Category[], hint = ''): Taxonomy {
  const subcategories = categories.flatMap((category) =>
    category.subcategories.map(({ remote_id, name }) => ({
      id: remote_id,
      name,
      path: `${category.name} / ${name}`,
    })),
  );
  const byId = new Map(subcategories.map((one) => [one.id.toLowerCase(), one]));
  const taxonomy: Taxonomy = {
    categories,
    nameOf: (id) => byId.get(id.toLowerCase())?.path ?? id,
    category: (text) =>
      categories.find(({ remote_id }) => same(remote_id, text)) ?? categories.find(({ name }) => same(name, text)),
    subcategory(text) {
      const known = byId.get(text.trim().toLowerCase());
      if (known) return known;
      const found = subcategories.filter(({ name, path }) => same(name, text) || same(path, text.replace('/', ' / ')));
      if (found.length === 1 && found[0]) return found[0];
      const shown = text.slice(0, 80);
      if (found.length > 1)
        return { problem: `"${shown}" is ambiguous: ${found.map(({ path }) => `"${path}"`).join(' or ')}.` };
      const names = subcategories.map(({ name }) => name);
      return {
        problem: `"${shown}" is not a subcategory.${didYouMean(shown, names)}${hint}`,
      };
    },
    subcategories(text) {
      const whole = /^(.*?)\s*\/\s*\*\s*$/s.exec(text)?.[1];
      const category = taxonomy.category(whole ?? text);
      const one = whole === undefined ? taxonomy.subcategory(text) : undefined;
      if (category && one && 'id' in one)
        return {
          problem: `"${text.slice(0, 80)}" is a category and a subcategory. Use "${category.name} / *" or "${taxonomy.nameOf(one.id)}".`,
        };
      if (category) return { ids: category.subcategories.map(({ remote_id }) => remote_id) };
      if (one && 'id' in one) return { ids: [one.id] };
      return one ?? { problem: `"${text.slice(0, 80)}" is not a category.${hint}` };
    },
  };
  return taxonomy;
}

function same(one: string, other: string): boolean {
  return fold(one) === fold(other);
}

function fold(text: string): string {
  return text.trim().replace(/\s+/gu, ' ').toLowerCase();
}
