import { createHash } from 'node:crypto';
import type { Environment } from '../../wire/keys.ts';
import type { Asset, CtaDetails, DisclosureDetails, OfferMetadata } from '../../wire/offers/response.ts';
import {
  type ProcessCache,
  type Versioned,
  FIRST_VERSION,
  versionColumn,
  type Versions,
} from '../createProcessCache.ts';
import type { Queries } from '../database/database.ts';

/** The fields of an offer that no query reads. */
interface OfferDetails {
  /** The ISO 639 code of its texts; an offer without one is for everybody. Not sent to the page. */
  readonly language?: string;
  readonly subheading?: string;
  readonly cta_details: CtaDetails;
  readonly metadata?: OfferMetadata;
  readonly assets?: readonly Asset[];
  readonly disclosure_details?: DisclosureDetails;
}

/** An offer of the catalogue with its advertiser. */
export interface OfferRow {
  readonly offer_id: string;
  readonly advertiser_id: string;
  readonly advertiser_name: string;
  readonly logo_url: string;
  readonly description: string | null;
  readonly subcategory_id: string;
  readonly heading: string;
  readonly target_url: string;
  readonly details: OfferDetails;
  /** Price per conversion times weight. */
  readonly expected_value: number;
  readonly active: boolean;
}

/** The offers that can be drawn, and the versions of what they were made of. */
interface ShelvedCatalogue {
  readonly versions: Pick<Versions, 'catalogue' | 'budgets'>;
  readonly shelves: Shelves;
}

/** What the catalogue is read with. */
interface CatalogueContext {
  readonly db: Queries;
  readonly cache: ProcessCache;
  readonly environment: Environment;
  versions(): Promise<Versions>;
}

/** Returns the catalogue as of this request. A process reads it once for each version. */
export async function openCatalogue(context: CatalogueContext): Promise<ShelvedCatalogue> {
  const { cache } = context;
  const versions = await context.versions();
  return cache.atVersion('shelves', versionText(versions), async () => {
    const [offers, spent] = await Promise.all([
      cache.atVersion('catalogue', versions.catalogue, () => readOffers(context)),
      cache.atVersion('budgets', versions.budgets, () => readSpent(context)),
    ]);
    const read = { catalogue: offers.version, budgets: spent.version };
    return {
      version: versionText(read),
      value: { versions: read, shelves: shelve(offers.value, new Set(spent.value)) },
    };
  });
}

function versionText({ catalogue, budgets }: ShelvedCatalogue['versions']): string {
  return `${catalogue} ${budgets}`;
}

/** Reads all offers that are not deleted. One row: so even an empty catalogue has its version. */
function readOffers(context: CatalogueContext): Promise<Versioned<Versioned<readonly OfferRow[]>>> {
  return readVersioned<OfferRow>(context, {
    sql: `SELECT ${versionColumn('catalogue')}, (
       SELECT json_agg(json_build_object('offer_id', offer_id, 'advertiser_id', advertiser_id, 'advertiser_name', a.name, 'logo_url', logo_url,
         'description', description, 'subcategory_id', subcategory_id, 'heading', heading, 'target_url', target_url, 'details', details,
         'expected_value', price_per_conversion * weight, 'active', active) ORDER BY offer_id COLLATE "C")
       FROM offers JOIN advertisers a USING (advertiser_id) WHERE deleted_at IS NULL) AS value`,
    explained: (offers) => offers.map(explainable),
  });
}

/** Reads the ids of the offers whose budget does not cover another conversion. */
function readSpent(context: CatalogueContext): Promise<Versioned<Versioned<readonly string[]>>> {
  return readVersioned<string>(context, {
    sql: `SELECT ${versionColumn('budgets')}, (
       SELECT json_agg(offer_id) FROM offers WHERE deleted_at IS NULL AND budget IS NOT NULL AND spent + price_per_conversion > budget) AS value`,
    explained: (ids) => ids,
  });
}

/** Reads a list with its version. In staging it is stored for `GET /sandbox/explain`, once for each version. */
async function readVersioned<T>(
  { db, environment }: CatalogueContext,
  { sql, explained }: { readonly sql: string; explained(value: readonly T[]): unknown },
): Promise<Versioned<Versioned<readonly T[]>>> {
  const [row] = await db.query<{ version: string | null; value: readonly T[] | null }>(sql);
  const read = { version: row?.version ?? FIRST_VERSION, value: row?.value ?? [] };
  if (environment === 'staging')
    await db.query('INSERT INTO catalogue_versions (version, content) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      read.version,
      JSON.stringify(explained(read.value)),
    ]);
  return { version: read.version, value: read };
}

function explainable(offer: OfferRow): ExplainedOffer {
  const { offer_id, advertiser_name, heading, subcategory_id, expected_value, active, details } = offer;
  const { language } = details;
  return { offer_id, advertiser_name, heading, subcategory_id, expected_value, active, details: { language } };
}

/** Maximum offers in one response: more than a shopper pages through. */
const MAX_OFFERS = 10;
/** The value of an offer without one: it is still shown sometimes. */
const LEAST_VALUE = 0.000_001;

/** What decides which offers a session gets. */
export interface ChoiceOptions {
  readonly session_id: string;
  /** Subcategories. The same set for each session of a publisher: what follows from it is remembered with it. */
  readonly exclusions: ReadonlySet<string>;
  /** The language of the page, such as `ar-EG`. */
  readonly language?: string | undefined;
  readonly maxOffers?: number | undefined;
}

/** The offers that can be drawn. */
export interface Shelves {
  /**
   * Draws offers at random, weighted by expected value, so that every offer of the catalogue is shown sometimes; then orders
   * them by expected value. Offers in the language of the request come first, and none are in another. The session seeds the
   * draw: the same session always gets the same offers of the same catalogue.
   */
  choose(options: ChoiceOptions): readonly OfferRow[];
}

/** The offers of one subcategory and language. */
interface Shelf {
  readonly subcategory_id: string;
  readonly language: string | undefined;
  readonly offers: OfferRow[];
  /** The sum of the values up to and including each offer. */
  readonly sums: number[];
}

/**
 * Puts the active offers with budget on shelves, by subcategory and language. A publisher and a language select shelves, and a
 * draw searches sums. So a session costs the same with ten thousand offers as with forty.
 */
export function shelve(offers: readonly OfferRow[], spent: ReadonlySet<string>): Shelves {
  const shelves = new Map<string, Shelf>();
  for (const offer of offers) {
    if (!offer.active || spent.has(offer.offer_id)) continue;
    const { subcategory_id, details } = offer;
    const name = `${subcategory_id} ${details.language ?? ''}`;
    let shelf = shelves.get(name);
    if (!shelf) shelves.set(name, (shelf = { subcategory_id, language: details.language, offers: [], sums: [] }));
    shelf.offers.push(offer);
    shelf.sums.push((shelf.sums.at(-1) ?? 0) + expectedValue(offer));
  }
  const all = [...shelves.values()];
  const languages = new Set(all.map(({ language }) => language));
  const ranges = new WeakMap<ReadonlySet<string>, Map<string, readonly Range[]>>();

  function rangesFor(exclusions: ReadonlySet<string>, language: string | undefined): readonly Range[] {
    let byLanguage = ranges.get(exclusions);
    if (!byLanguage) ranges.set(exclusions, (byLanguage = new Map()));
    // All languages that no offer has are one: a caller may name any.
    const name = language === undefined ? 'any' : languages.has(language) ? `in ${language}` : 'none';
    let found = byLanguage.get(name);
    if (!found) {
      const allowed = all.filter(({ subcategory_id }) => !exclusions.has(subcategory_id));
      const forEverybody = allowed.filter((shelf) => shelf.language === undefined);
      found =
        language === undefined
          ? [openRange(allowed)]
          : [openRange(allowed.filter((shelf) => shelf.language === language)), openRange(forEverybody)];
      byLanguage.set(name, found);
    }
    return found;
  }

  return {
    choose({ session_id, exclusions, ...options }) {
      const fractions = fractionsOf(session_id);
      const shown: OfferRow[] = [];
      for (const range of rangesFor(exclusions, primaryLanguage(options.language)))
        shown.push(...draw(range, fractions.slice(shown.length, offerLimit(options.maxOffers))));
      return shown;
    },
  };
}

function offerLimit(maxOffers: number | undefined): number {
  return Math.min(MAX_OFFERS, maxOffers ?? MAX_OFFERS);
}

function expectedValue({ expected_value }: OfferRow): number {
  return Math.max(expected_value, LEAST_VALUE);
}

/** Shelves side by side, on which each offer is as wide as its value. */
interface Range {
  readonly size: number;
  readonly width: number;
  /** The number of the offer at this point. */
  find(point: number): number;
  /** An offer by its number, and where it begins. */
  at(index: number): { readonly offer: OfferRow; readonly start: number };
}

function openRange(shelves: readonly Shelf[]): Range {
  const starts: number[] = [];
  const firsts: number[] = [];
  let [width, size] = [0, 0];
  for (const { offers, sums } of shelves) {
    starts.push(width);
    firsts.push(size);
    width += sums.at(-1) ?? 0;
    size += offers.length;
  }
  return {
    size,
    width,
    find(point) {
      const shelf = countUpTo(starts, point) - 1;
      const { sums = [] } = shelves[shelf] ?? {};
      // Sums are rounded: the last offer also has what lies behind it.
      const place = Math.min(countUpTo(sums, point - (starts[shelf] ?? 0)), sums.length - 1);
      return (firsts[shelf] ?? 0) + place;
    },
    at(index) {
      const shelf = countUpTo(firsts, index) - 1;
      const place = index - (firsts[shelf] ?? 0);
      const offer = shelves[shelf]?.offers[place];
      if (!offer) throw new Error(`There is no offer ${index} of ${size}`);
      return { offer, start: (starts[shelf] ?? 0) + (shelves[shelf]?.sums[place - 1] ?? 0) };
    },
  };
}

/** How many of the ascending numbers are not above a limit. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Draws an offer for each fraction, none twice, each time in proportion to the values of those that are left; the most valuable first. */
function draw({ size, width, find, at }: Range, fractions: readonly number[]): OfferRow[] {
  const drawn = new Map<number, OfferRow>();
  /** Where the drawn offers lie, in order. */
  let gaps: readonly { readonly start: number; readonly value: number }[] = [];
  let left = width;
  for (const fraction of fractions.slice(0, size)) {
    // A point of what is left: from the start, past what was drawn before it.
    let point = fraction * left;
    for (const { start, value } of gaps) if (point >= start) point += value;
    let index = find(point);
    // Rounding may lead back to one that was drawn.
    while (drawn.has(index)) index = (index + 1) % size;
    const { offer, start } = at(index);
    const value = expectedValue(offer);
    // Sums are rounded: small values beside a large one may be nothing, or less.
    left = Math.max(0, left - value);
    drawn.set(index, offer);
    gaps = [...gaps, { start, value }].toSorted((one, other) => one.start - other.start);
  }
  return [...drawn.values()].toSorted((one, other) => other.expected_value - one.expected_value);
}

/** Ten numbers from 0 to below 1 that follow from a session. */
function fractionsOf(sessionId: string): number[] {
  const bytes = createHash('sha512').update(sessionId).digest();
  return Array.from({ length: MAX_OFFERS }, (_, index) => bytes.readUIntBE(6 * index, 6) / 2 ** 48);
}

/** The language of a BCP 47 tag without its region: `ar` of `ar-EG`. */
export function primaryLanguage(tag: string | undefined): string | undefined {
  return /^[a-z]+/i.exec(tag ?? '')?.[0].toLowerCase();
}

/** What is stored of an offer to explain choices. */
export interface ExplainedOffer extends Pick<
  OfferRow,
  'offer_id' | 'advertiser_name' | 'heading' | 'subcategory_id' | 'expected_value' | 'active'
> {
  readonly details: { readonly language?: string | undefined };
}

/** What a session chose from, and what it got. */
export interface StoredChoice {
  /** The versions of the catalogue and of the budgets. */
  readonly catalogue: string;
  readonly budgets: string;
  readonly excluded: readonly string[];
  readonly language?: string | undefined;
  readonly max_offers?: number | undefined;
  /** The ids of the shown offers, in order. */
  readonly shown: readonly string[];
}

/** Why an offer was shown or not in one session. */
interface OfferExplanation {
  readonly offer_id: string;
  readonly advertiser: string;
  readonly heading: string;
  readonly shown: boolean;
  readonly reason: 'shown' | 'inactive' | 'budget_spent' | 'subcategory_excluded' | 'other_language' | 'outdrawn';
  /** The reason as a sentence. */
  readonly message: string;
  /** Price per conversion times weight. In each draw, an offer's chance is its share of the values that are left. */
  readonly expected_value: number;
  /** Its position among the shown offers, which are ordered by expected value. */
  readonly position?: number;
}

/** Explains for every offer of the catalogue why a session got it or not. */
export function explainChoice(
  offers: readonly ExplainedOffer[],
  spent: ReadonlySet<string>,
  choice: StoredChoice,
): OfferExplanation[] {
  const excluded = new Set(choice.excluded);
  const language = primaryLanguage(choice.language);
  return offers.map((offer) => {
    const position = choice.shown.indexOf(offer.offer_id);
    const obstacle = obstacleOf(offer, { excluded, spent, language });
    const reason = position >= 0 ? 'shown' : (obstacle ?? 'outdrawn');
    return {
      offer_id: offer.offer_id,
      advertiser: offer.advertiser_name,
      heading: offer.heading,
      shown: position >= 0,
      reason,
      message: reason === 'outdrawn' ? outdrawnBy(offerLimit(choice.max_offers)) : MESSAGES[reason],
      expected_value: offer.expected_value,
      ...(position < 0 ? {} : { position }),
    };
  });
}

const MESSAGES: Readonly<Record<Exclude<OfferExplanation['reason'], 'outdrawn'>, string>> = {
  shown: 'The offer is eligible and was drawn in this session.',
  inactive: 'The offer is not active.',
  budget_spent: 'The budget does not cover another conversion.',
  subcategory_excluded: 'The channel or the publisher excludes the subcategory of the offer.',
  other_language: 'The offer is in another language than the page.',
};

function outdrawnBy(maxOffers: number): string {
  return `The offer is eligible, but ${maxOffers} others were drawn in this session.`;
}

function obstacleOf(
  offer: ExplainedOffer,
  {
    excluded,
    spent,
    language,
  }: { excluded: ReadonlySet<string>; spent: ReadonlySet<string>; language: string | undefined },
): 'inactive' | 'budget_spent' | 'subcategory_excluded' | 'other_language' | undefined {
  if (!offer.active) return 'inactive';
  if (excluded.has(offer.subcategory_id)) return 'subcategory_excluded';
  if (spent.has(offer.offer_id)) return 'budget_spent';
  // A request without a language gets offers in every language, as does an offer without one.
  const itsLanguage = offer.details.language ?? language;
  return language === undefined || itsLanguage === language ? undefined : 'other_language';
}
