import { randomUUID } from 'node:crypto';
import type { Environment } from '../../wire/keys.ts';
import { DAY_MS } from '../../wire/utcDates.ts';
import { brandKey, domainKey, timeOrderedId } from '../channel/addPublishers.ts';
import { markAllChanged } from '../createProcessCache.ts';
import type { Queries } from '../database/database.ts';
import { SUM_UP_DAYS, type Periods, periodsAt } from '../facts.ts';
import { createKey } from '../storedKeys.ts';
import { DEMO_ADVERTISERS, DEMO_OFFERS, type DemoAsset, type DemoOffer } from './demoOffers.ts';
import { history, type HistoryCell } from './history.ts';
import { DEMO_SHOPS, DEMO_REQUESTS, type DemoPublisher } from './publishers.ts';
import { categoryIdOf, stableId, TAXONOMY, subcategoryId } from './taxonomy.ts';

/** What a new network contains: a whole demo, or the minimum. */
export type SeedKind = 'demo' | 'empty';

/** Fills an empty database with its schema. Returns its first channel and publisher. Run it in a transaction. */
export async function seed(
  db: Queries,
  options: { kind: SeedKind; now: Date; environment: Environment; onProgress?: (text: string) => void },
): Promise<Tenant> {
  const { kind, now, environment, onProgress = () => undefined } = options;
  await insertTaxonomy(db);
  await markAllChanged(db);
  if (kind === 'empty') return createTenant(db, { name: 'Sandbox Channel', environment, issuedIn: environment, now });
  const channelId = stableId('channel', 'demo');
  const tenant = { name: 'Demo Channel', environment, issuedIn: environment, now, channelId };
  const channel = await createChannel(db, tenant);
  await insertPublishers(db, tenant);
  await insert(db, 'advertisers', advertiserRows());
  await insert(db, 'offers', offerRows(now));
  await insert(db, 'hourly_facts', factRows(history(now), channelId), (part) =>
    onProgress(`Seeding the history: ${Math.round(part * 100)} %`),
  );
  onProgress('Summing up the days of the history');
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

/** A channel and its first publisher. */
export interface Tenant {
  readonly channel: { readonly channel_id: string; readonly name: string };
  readonly publisher: { readonly publisher_remote_id: string; readonly brand_name: string };
}

/** What to create. By default, ids are random. */
interface NewTenant {
  readonly name: string;
  readonly environment: Environment;
  /** The environment of the network that creates it. */
  readonly issuedIn: Environment;
  readonly now: Date;
  readonly channelId?: string;
}

/** The publisher of a channel without a demo. */
function firstShop(): DemoPublisher {
  const [category] = TAXONOMY;
  return {
    brand_name: 'First Shop',
    domain: 'first-shop.example',
    subcategories: category?.subcategories.slice(0, 1).map(({ name }) => name) ?? [],
    status: 'APPROVED',
    requested_days_ago: 1,
  };
}

/** Creates a channel with one approved publisher, the minimum for requesting offers. */
export async function createTenant(db: Queries, options: NewTenant): Promise<Tenant> {
  const channel = await createChannel(db, options);
  const shop = firstShop();
  const publisher_remote_id = randomUUID();
  const tenant = { ...options, channelId: channel.channel_id };
  const row = await approvedRow(db, { ...shop, publisher_remote_id }, tenant);
  // Each channel has one of the same domain.
  await insert(db, 'publishers', [{ ...row, pending_publisher_id: timeOrderedId(0) }]);
  return { channel, publisher: { publisher_remote_id, brand_name: shop.brand_name } };
}

/** Creates a channel without publishers. */
async function createChannel(
  db: Queries,
  { name, environment, now, channelId }: NewTenant,
): Promise<Tenant['channel']> {
  const channel_id = channelId ?? randomUUID();
  await db.query('INSERT INTO channels (channel_id, name, environment, created_at) VALUES ($1, $2, $3, $4)', [
    channel_id,
    name,
    environment,
    now,
  ]);
  return { channel_id, name };
}

/** The publisher_remote_id of a demo shop. */
function publisherId(domain: string): string {
  return stableId('publisher', domain);
}

type Row = Readonly<Record<string, unknown>>;

/** Inserts the demo's publishers with their publishable keys, and its pending and rejected requests. */
async function insertPublishers(db: Queries, tenant: NewTenant & { channelId: string }): Promise<void> {
  const rows: Row[] = DEMO_REQUESTS.map((request) => publisherRow(request, tenant));
  for (const shop of DEMO_SHOPS)
    rows.push(await approvedRow(db, { ...shop, publisher_remote_id: publisherId(shop.domain) }, tenant));
  await insert(db, 'publishers', rows);
}

/** The row of an approved publisher, for which it creates the publishable key. */
async function approvedRow(
  db: Queries,
  shop: DemoPublisher & { readonly publisher_remote_id: string; readonly external_exclusions?: readonly string[] },
  tenant: NewTenant & { channelId: string },
): Promise<Row> {
  const { publisher_remote_id, external_exclusions = [] } = shop;
  const { key } = await createKey(db, { ...tenant, kind: 'publishable', publisherId: publisher_remote_id });
  return {
    ...publisherRow(shop, tenant),
    publisher_remote_id,
    api_key: key,
    external_exclusions: external_exclusions.map(subcategoryId),
  };
}

function publisherRow(publisher: DemoPublisher, { channelId, now }: { channelId: string; now: Date }): Row {
  const created_at = new Date(now.getTime() - publisher.requested_days_ago * DAY_MS);
  return {
    pending_publisher_id: stableId('request', publisher.domain),
    channel_id: channelId,
    brand_name: publisher.brand_name,
    brand_key: brandKey(publisher.brand_name),
    domain: publisher.domain,
    domain_key: domainKey(publisher.domain),
    primary_category_id: categoryIdOf(publisher.subcategories[0]),
    subcategory_ids: publisher.subcategories.map(subcategoryId),
    status: publisher.status,
    staff_notes: publisher.staff_notes ?? '',
    publisher_remote_id: null,
    api_key: null,
    external_exclusions: [],
    publisher_exclusions: [],
    created_at,
    // Staff decide about a request on the next day.
    updated_at: publisher.status === 'PENDING' ? created_at : new Date(created_at.getTime() + DAY_MS),
  };
}

/** The rows of the demo's advertisers, whose logos the network serves. */
function advertiserRows(): Row[] {
  return DEMO_ADVERTISERS.map(({ slug, name, description }) => ({
    advertiser_id: stableId('advertiser', slug),
    name,
    logo_url: `/logos/${slug}.svg`,
    description,
  }));
}

/** The rows of the demo's offers. Addresses begin with '/': the network serves the pictures and the pages of arrival itself. */
function offerRows(now: Date): Row[] {
  return DEMO_OFFERS.map((offer, index) => ({
    offer_id: offerId(offer.slug),
    advertiser_id: stableId('advertiser', offer.advertiser),
    subcategory_id: subcategoryId(offer.subcategory),
    heading: offer.heading,
    target_url: `/visit/${offerId(offer.slug)}`,
    details: details(offer),
    price_per_conversion: offer.price,
    budget: offer.budget ?? null,
    spent: 0,
    weight: offer.weight ?? 1,
    active: true,
    // A millisecond apart, so that the catalogue has a definite order.
    created_at: new Date(now.getTime() + index - DEMO_OFFERS.length),
  }));
}

/** The id of a demo offer. */
export function offerId(slug: string): string {
  return stableId('offer', slug);
}

function details({ slug, language, subheading, cta_details, metadata, assets, disclosure_details }: DemoOffer): Row {
  return {
    language,
    subheading,
    cta_details,
    metadata,
    assets: assets?.map((asset, index) => assetOf(slug, asset, index)),
    disclosure_details,
  };
}

function assetOf(
  slug: string,
  { picture, asset_type, should_trigger_claim_flow }: DemoAsset,
  insertion_order: number,
): Row {
  return {
    id: stableId('asset', `${slug}/${picture}`),
    asset_type,
    image_url: `/pictures/${picture}.svg`,
    insertion_order,
    target_url: `/visit/${offerId(slug)}`,
    should_trigger_claim_flow,
  };
}

/** Parts of the billable spend, in ten-thousandths: the network's default shares. */
const SHARES = { publisher: 6_000, channel: 2_000 };
const UNIT = 10_000;

/** The rows of the demo's history. */
export function factRows(cells: readonly HistoryCell[], channel_id: string): Row[] {
  // Periods are computed once per hour: 1,440 times instead of 25,000.
  const periods = new Map<number, Periods>();
  return cells.map((cell) => {
    const period = periods.get(cell.hour) ?? periodsAt(cell.hour);
    periods.set(cell.hour, period);
    const channel_payout = share(cell.billable, SHARES.channel);
    const revenue_with_email = share(cell.billable_with_email, SHARES.channel);
    return {
      publisher_id: publisherId(cell.shop.domain),
      channel_id,
      ...period,
      page_type: cell.placement.page_type,
      widget_type: cell.placement.widget_type,
      widget_id: cell.placement.widget_id ?? '',
      impressions: cell.impressions,
      clicks: cell.clicks,
      conversions: cell.conversions,
      feed_loads: cell.loads,
      widget_displays: cell.widget_displays,
      viewable_widget_displays: cell.viewable_widget_displays,
      channel_payout: money(channel_payout),
      publisher_payout: money(share(cell.billable, SHARES.publisher)),
      revenue_with_email: money(revenue_with_email),
      revenue_without_email: money(channel_payout - revenue_with_email),
      order_revenue_amount: money(cell.order_revenue),
      attributed_ad_spend_amount: money(cell.attributed),
      billable_ad_spend_amount: money(cell.billable),
    };
  });
}

/** Exact: prices are whole cents, so their shares are whole numbers of ten-thousandths. */
function share(amount: number, part: number): number {
  return (amount * part) / UNIT;
}

/** Ten-thousandths as exact decimal text. */
function money(amount: number): string {
  return `${Math.floor(amount / UNIT)}.${String(amount % UNIT).padStart(4, '0')}`;
}

/** Rows per statement: few round trips, with at most a few megabytes of JSON each. */
const CHUNK = 5_000;

/** Inserts many rows as JSON, which is the fastest way into PGlite: a list of values takes twice as long. */
async function insert(
  db: Queries,
  table: string,
  rows: readonly Row[],
  onPart: (part: number) => void = () => undefined,
): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  for (let start = 0; start < rows.length; start += CHUNK) {
    onPart(start / rows.length);
    await db.query(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1::json)`,
      [JSON.stringify(rows.slice(start, start + CHUNK))],
    );
  }
}
