import { checkPublisher, type CheckedPublisher } from '../../../publishers/checkPublisher.ts';
import { PublisherListError, readPublisherList } from '../../../publishers/readPublisherList.ts';
import { createTaxonomy } from '../../../publishers/taxonomy.ts';
import type { Category } from '../../../../wire/channel.ts';

/** The publishers of a list, and what is wrong with the list itself. */
export interface ListPreview {
  readonly publishers: readonly CheckedPublisher[];
  readonly problem?: string;
}

/** Reads and checks a list of publishers before anything is sent, as `offerlet publishers add` does. */
export function previewList(text: string, categories: readonly Category[]): ListPreview {
  if (text.trim() === '') return { publishers: [] };
  const taxonomy = createTaxonomy(categories);
  const seen = new Set<string>();
  try {
    const publishers = readPublisherList(text).map((listed): CheckedPublisher => {
      const checked = checkPublisher(listed, taxonomy);
      if (!('item' in checked)) return checked;
      const { brand_name, domain } = checked;
      const key = `${brand_name} ${domain}`.toLowerCase();
      if (seen.has(key)) return { ...listed, brand_name, domain, problem: 'is in this list twice' };
      seen.add(key);
      return checked;
    });
    return { publishers };
  } catch (error) {
    if (error instanceof PublisherListError) return { publishers: [], problem: error.message };
    throw error;
  }
}
