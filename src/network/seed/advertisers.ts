import { stableId } from './stableId.ts';

/** A made-up advertiser. `slug` is the name of its logo file. */
export interface DemoAdvertiser {
  slug: string;
  name: string;
  description: string;
}

const ADVERTISERS = [
  { slug: 'morrow-and-bean', name: 'Morrow & Bean', description: 'Small-batch coffee, roasted on Tuesdays.' },
  { slug: 'tidewell-kitchen', name: 'Tidewell Kitchen', description: 'Dinner boxes with the chopping already done.' },
  { slug: 'halden-wax', name: 'Halden Wax', description: 'Candles poured by hand from rapeseed wax.' },
  { slug: 'pairwise', name: 'Pairwise', description: 'Socks that outlive the washing machine.' },
  { slug: 'bramblepaw', name: 'Bramblepaw', description: 'Fresh food for dogs and cats, portioned by weight.' },
  { slug: 'fernhollow', name: 'Fernhollow', description: 'House plants for people who forget to water.' },
  { slug: 'stillhour', name: 'Stillhour', description: 'Sleep stories and quiet breaks.' },
  { slug: 'pagewright', name: 'Pagewright', description: 'Audiobooks and magazines, read by people.' },
  { slug: 'wrenline-mobile', name: 'Wrenline Mobile', description: 'Phone plans without a contract.' },
  { slug: 'oakrow-cover', name: 'Oakrow Cover', description: 'Insurance in plain words.' },
  { slug: 'solmara', name: 'Solmara', description: 'Vitamins with the evidence on the label.' },
  { slug: 'vantry', name: 'Vantry', description: 'Luggage that can be repaired.' },
  { slug: 'zaytuna-grove', name: 'بستان الزيتونة', description: 'زيت زيتون وصابون من بستان عائلي.' },
  { slug: 'nana-tea', name: 'בית הנענע', description: 'חליטות ותה עלים, ישר מהשדה.' },
  // Its logo file does not exist, so that the widget's fallback can be seen, too.
  { slug: 'fold-and-letter', name: 'Fold & Letter', description: 'Cards and notebooks, printed on cotton paper.' },
] as const satisfies readonly DemoAdvertiser[];

/** The slug by which an offer refers to its advertiser. */
export type AdvertiserSlug = (typeof ADVERTISERS)[number]['slug'];

/** The fifteen advertisers of the demo. */
export const DEMO_ADVERTISERS: readonly DemoAdvertiser[] = ADVERTISERS;

/** The id of a demo advertiser. */
export function advertiserId(slug: string): string {
  return stableId('advertiser', slug);
}
