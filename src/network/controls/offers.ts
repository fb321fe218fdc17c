import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { ID_MAX_LENGTH } from '../../wire/limits.ts';
import type { NetworkContext } from '../context.ts';
import type { Queries } from '../database/database.ts';
import { markChanged } from '../createProcessCache.ts';
import {
  control,
  type ControlRoute,
  notFound,
  plainControl,
  refuseFields,
  urlField,
  moneyField,
  textField,
  uuidField,
} from './control.ts';

const assetField = v.object({
  id: v.optional(textField),
  asset_type: v.picklist(['PRODUCT', 'IMAGE'], 'must be PRODUCT or IMAGE'),
  image_url: urlField,
  insertion_order: v.optional(v.number(), 0),
  target_url: v.optional(urlField),
  should_trigger_claim_flow: v.optional(v.boolean(), false),
});

const offerBody = v.object({
  advertiser: v.object({
    id: v.optional(v.pipe(textField, v.maxLength(ID_MAX_LENGTH))),
    name: textField,
    logo_url: v.optional(v.union([urlField, v.literal('')]), ''),
    description: v.optional(v.string()),
  }),
  subcategory_id: uuidField,
  heading: textField,
  subheading: v.optional(v.string()),
  target_url: urlField,
  cta_details: v.looseObject({ accept_copy: textField, decline_copy: textField }),
  price_per_conversion: moneyField,
  budget: v.optional(v.nullable(moneyField)),
  weight: v.optional(moneyField, 1),
  metadata: v.optional(
    v.looseObject({ type: v.picklist(['PROMO_CODE', 'NO_PROMO_CODE'], 'must be PROMO_CODE or NO_PROMO_CODE') }),
  ),
  assets: v.optional(v.array(assetField)),
  disclosure_details: v.optional(v.looseObject({ copy: textField, target_url: v.optional(urlField) })),
  active: v.optional(v.boolean(), true),
});
type OfferBody = v.InferOutput<typeof offerBody>;

/** The catalogue: POST, PUT and DELETE /sandbox/offers. */
export const offers: readonly ControlRoute[] = [
  control({
    method: 'POST',
    pattern: '/sandbox/offers',
    summary: 'Add an offer',
    body: offerBody,
    run: ({ context, body }) => save(context, body),
  }),
  control({
    method: 'PUT',
    pattern: '/sandbox/offers/{id}',
    summary: 'Replace an offer',
    id: 'the offer',
    body: offerBody,
    async run({ context, params, body }) {
      const [found] = await context.db.query(
        'SELECT 1 AS found FROM offers WHERE offer_id = $1 AND deleted_at IS NULL',
        [params['id'] ?? ''],
      );
      return found ? save(context, body, params['id']) : notFound('offer');
    },
  }),
  plainControl({
    method: 'DELETE',
    pattern: '/sandbox/offers/{id}',
    summary: 'Delete an offer',
    id: 'the offer',
    async run({ context, params }) {
      const now = await context.now();
      const isDeleted = await context.db.transaction(async (db) => {
        const deleted = await db.query(
          'UPDATE offers SET deleted_at = $2 WHERE offer_id = $1 AND deleted_at IS NULL RETURNING offer_id',
          [params['id'] ?? '', now],
        );
        if (deleted.length > 0) await markChanged(db, 'catalogue');
        return deleted.length > 0;
      });
      return isDeleted ? undefined : notFound('offer');
    },
  }),
];

async function save(context: NetworkContext, offer: OfferBody, offerId: string = randomUUID()): Promise<unknown> {
  const [subcategory] = await context.db.query('SELECT 1 AS found FROM subcategories WHERE remote_id = $1', [
    offer.subcategory_id,
  ]);
  if (!subcategory) return refuseFields([{ path: 'subcategory_id', message: 'must be the id of a subcategory' }]);
  const now = await context.now();
  await context.db.transaction(async (db) => {
    const advertiserId = await saveAdvertiser(db, offer.advertiser);
    const { subheading, cta_details, metadata, disclosure_details } = offer;
    const assets = offer.assets?.map((asset) => ({ ...asset, id: asset.id ?? randomUUID() }));
    await db.query(
      `INSERT INTO offers (offer_id, advertiser_id, subcategory_id, heading, target_url, details, price_per_conversion, budget, weight, active, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       ON CONFLICT (offer_id) DO UPDATE SET advertiser_id = excluded.advertiser_id, subcategory_id = excluded.subcategory_id,
         heading = excluded.heading, target_url = excluded.target_url, details = excluded.details, price_per_conversion = excluded.price_per_conversion,
         budget = excluded.budget, weight = excluded.weight, active = excluded.active`,
      [
        offerId,
        advertiserId,
        offer.subcategory_id,
        offer.heading,
        offer.target_url,
        JSON.stringify({ subheading, cta_details, metadata, assets, disclosure_details }),
        offer.price_per_conversion,
        offer.budget ?? null,
        offer.weight,
        offer.active,
        now,
      ],
    );
    await markChanged(db, 'catalogue', 'budgets');
  });
  return { id: offerId };
}

async function saveAdvertiser(db: Queries, advertiser: OfferBody['advertiser']): Promise<string> {
  const id = advertiser.id ?? randomUUID();
  await db.query(
    `INSERT INTO advertisers (advertiser_id, name, logo_url, description) VALUES ($1, $2, $3, $4)
     ON CONFLICT (advertiser_id) DO UPDATE SET name = excluded.name, logo_url = excluded.logo_url, description = excluded.description`,
    [id, advertiser.name, advertiser.logo_url, advertiser.description ?? null],
  );
  return id;
}
