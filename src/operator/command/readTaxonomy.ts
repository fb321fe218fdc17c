import type { ChannelClient } from '../../clients.ts';
import { createTaxonomy, type Taxonomy } from '../publishers/taxonomy.ts';
import { safeText } from '../../cli/output/displayWidth.ts';

/** Reads the categories of the network, with names that a terminal can show. */
export async function readTaxonomy(channel: ChannelClient): Promise<Taxonomy> {
  const categories = (await channel.categories()).map((category) => ({
    ...category,
    name: safeText(category.name),
    subcategories: category.subcategories.map((one) => ({ ...one, name: safeText(one.name) })),
  }));
  return createTaxonomy(categories, ' "offerlet categories list" shows all.');
}
