import type { Environment } from '../../wire/keys.ts';
import type { Queries } from '../database/database.ts';
import { SUM_UP_DAYS } from '../facts/sumUpDays.ts';
import { advertiserRows, offerRows } from './catalogueRows.ts';
import { factRows } from './factRows.ts';
import { history } from './history.ts';
import { insert } from './insert.ts';
import { insertPublishers, publisherId } from './publisherRows.ts';
import { DEMO_SHOPS } from './publishers.ts';
import { stableId } from './stableId.ts';
import { TAXONOMY } from './taxonomy.ts';
import { type Tenant, createChannel, createTenant } from './tenant.ts';

/** What a new network contains: a whole demo, or the minimum. */
export const SEEDS = ['demo', 'empty'] as const;
export type SeedKind = (typeof SEEDS)[number];

/** Fills an empty database with its schema. Returns its first channel and publisher. Run it in a transaction. */
export async function seed(
  db: Queries,
  options: { kind: SeedKind; now: Date; environment: Environment },
): Promise<Tenant> {
  const { kind, now, environment } = options;
  await insertTaxonomy(db);
  if (kind === 'empty') return createTenant(db, { name: 'Sandbox Channel', environment, issuedIn: environment, now });
  const channelId = stableId('channel', 'demo');
  const tenant = { name: 'Demo Channel', environment, issuedIn: environment, now, channelId };
  const channel = await createChannel(db, tenant);
  await insertPublishers(db, tenant);
  await insert(db, 'advertisers', advertiserRows());
  await insert(db, 'offers', offerRows(now));
  await insert(db, 'hourly_facts', factRows(history(now), channelId));
  await db.exec(SUM_UP_DAYS);
  const [first] = DEMO_SHOPS;
  return {
    channel,
    publisher: { publisher_remote_id: publisherId(first?.domain ?? ''), brand_name: first?.brand_name ?? '' },
  };
}

async function insertTaxonomy(db: Queries): Promise<void> {
  await insert(
    db,
    'categories',
    TAXONOMY.map(({ remote_id, name }) => ({ remote_id, name })),
  );
  await insert(
    db,
    'subcategories',
    TAXONOMY.flatMap(({ remote_id: category_id, subcategories }) =>
      subcategories.map((child) => ({ ...child, category_id })),
    ),
  );
}
