import type { Asset, CtaDetails, DisclosureDetails, OfferMetadata } from '../../wire/offers/response.ts';
import type { Queries } from '../database/database.ts';

/** The fields of an offer that no query reads. */
export interface OfferDetails {
  /** The ISO 639 code of its texts; an offer without one is for everybody. Not sent to the page. */
  readonly language?: string;
  readonly subheading?: string;
  readonly cta_details: CtaDetails;
  readonly metadata?: OfferMetadata;
  readonly assets?: readonly Asset[];
  readonly disclosure_details?: DisclosureDetails;
}

/** An offer of the catalogue with its advertiser. Money is exact decimal text. */
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
  readonly price_per_conversion: string;
  readonly weight: string;
  readonly active: boolean;
  /** Whether its budget covers another conversion. */
  readonly in_budget: boolean;
}

/** The whole catalogue without deleted offers, in a stable order. */
export function readCatalogue(db: Queries): Promise<OfferRow[]> {
  return db.hot<OfferRow>(
    `SELECT offer_id, advertiser_id, a.name AS advertiser_name, logo_url, description, subcategory_id, heading, target_url, details,
       price_per_conversion, weight, active, (budget IS NULL OR spent + price_per_conversion <= budget) AS in_budget
     FROM offers JOIN advertisers a USING (advertiser_id) WHERE deleted_at IS NULL ORDER BY offer_id COLLATE "C"`,
  );
}
