import type { Environment } from '../../wire/keys.ts';
import type { Queries } from '../database/database.ts';
import type { ProcessCache, Versioned } from '../createProcessCache.ts';
import { FIRST_VERSION, versionColumn, type Versions } from '../settings.ts';
import { shelve, type ExplainedOffer, type OfferRow, type Shelves } from './shelves.ts';

/** The offers that can be drawn, and the versions of what they were made of. */
export interface ShelvedCatalogue {
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
  return cache.atVersion('shelves', nameOf(versions), async () => {
    const [offers, spent] = await Promise.all([
      cache.atVersion('catalogue', versions.catalogue, () => readOffers(context)),
      cache.atVersion('budgets', versions.budgets, () => readSpent(context)),
    ]);
    const read = { catalogue: offers.version, budgets: spent.version };
    return {
      version: nameOf(read),
      value: { versions: read, shelves: shelve(offers.value, new Set(spent.value)) },
    };
  });
}

function nameOf({ catalogue, budgets }: ShelvedCatalogue['versions']): string {
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
