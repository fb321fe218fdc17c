import type { Publisher, PublisherDetail } from '../../../wire/channel.ts';
import type { Queries } from '../../database/database.ts';

/** A publisher or a request, as stored. */
export interface PublisherRow {
  readonly pending_publisher_id: string;
  readonly publisher_remote_id: string | null;
  readonly brand_name: string;
  readonly primary_category: string;
  readonly status: string;
  readonly api_key: string | null;
  readonly created_at: Date;
  readonly external_exclusions: readonly string[];
  readonly publisher_exclusions: readonly string[];
}

/** Selects the `PublisherRow`s that were not removed. Append further conditions and an order. */
export const SELECT_PUBLISHERS = `
  SELECT pending_publisher_id, publisher_remote_id, brand_name, coalesce(categories.name, '') AS primary_category, status, api_key,
    created_at, external_exclusions, publisher_exclusions
  FROM publishers LEFT JOIN categories ON categories.remote_id = primary_category_id
  WHERE removed_at IS NULL`;

/** Finds a publisher by its remote id or by the id of its request. */
export async function findPublisher(db: Queries, channelId: string, id: string): Promise<PublisherRow | undefined> {
  const [row] = await db.query<PublisherRow>(
    `${SELECT_PUBLISHERS} AND channel_id = $1 AND (publisher_remote_id = $2 OR pending_publisher_id = $2)`,
    [channelId, id],
  );
  return row;
}

/** The publisher as an item of the list: an approved one has only its remote id, and the key is left out. */
export function listItem(row: PublisherRow): Publisher {
  return {
    pending_publisher_id: row.publisher_remote_id === null ? row.pending_publisher_id : null,
    publisher_remote_id: row.publisher_remote_id,
    brand_name: row.brand_name,
    primary_category: row.primary_category,
    status: row.status,
    created_at: row.created_at.toISOString(),
    exclusions: { subcategories: { external: row.external_exclusions, publisher: row.publisher_exclusions } },
  };
}

/** The publisher's details, with its publishable key. */
export function detail(row: PublisherRow): PublisherDetail {
  const { publisher_remote_id, ...rest } = listItem(row);
  return { ...rest, pending_publisher_id: row.pending_publisher_id, publisher_remote_id, api_key: row.api_key };
}
