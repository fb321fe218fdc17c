import { randomUUID } from 'node:crypto';
import type { Environment } from '../../wire/keys.ts';
import { brandKey, domainKey } from '../channel/publishers/normalForm.ts';
import { timeOrderedId } from '../channel/publishers/timeOrderedId.ts';
import type { Queries } from '../database/database.ts';
import { createKey } from '../keys/storedKeys.ts';
import { insert } from './insert.ts';
import { TAXONOMY } from './taxonomy.ts';

/** A channel and its first publisher. */
export interface Tenant {
  readonly channel: { readonly channel_id: string; readonly name: string };
  readonly publisher: { readonly publisher_remote_id: string; readonly brand_name: string };
}

/** What to create. By default, ids are random. */
export interface NewTenant {
  readonly name: string;
  readonly environment: Environment;
  /** The environment of the network that creates it. */
  readonly issuedIn: Environment;
  readonly now: Date;
  readonly channelId?: string;
}

/** The brand of the publisher of a channel without a demo. */
const FIRST_BRAND = { brand_name: 'First Shop', domain: 'first-shop.example' };

/** Creates a channel with one approved publisher, the minimum for requesting offers. */
export async function createTenant(db: Queries, options: NewTenant): Promise<Tenant> {
  const channel = await createChannel(db, options);
  const publisher_remote_id = randomUUID();
  const { key } = await createKey(db, {
    kind: 'publishable',
    environment: options.environment,
    issuedIn: options.issuedIn,
    channelId: channel.channel_id,
    publisherId: publisher_remote_id,
    now: options.now,
  });
  const [category] = TAXONOMY;
  await insert(db, 'publishers', [
    {
      pending_publisher_id: timeOrderedId(0),
      publisher_remote_id,
      channel_id: channel.channel_id,
      ...FIRST_BRAND,
      brand_key: brandKey(FIRST_BRAND.brand_name),
      domain_key: domainKey(FIRST_BRAND.domain),
      primary_category_id: category?.remote_id,
      subcategory_ids: category?.subcategories.slice(0, 1).map(({ remote_id }) => remote_id),
      status: 'APPROVED',
      staff_notes: '',
      api_key: key,
      external_exclusions: [],
      publisher_exclusions: [],
      created_at: options.now,
      updated_at: options.now,
    },
  ]);
  return { channel, publisher: { publisher_remote_id, brand_name: FIRST_BRAND.brand_name } };
}

/** Creates a channel without publishers. */
export async function createChannel(
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
