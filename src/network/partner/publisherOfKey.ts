import type { Queries } from '../database/database.ts';
import type { KeyRecord } from '../keys/keyRecord.ts';

/** A publisher as /recommendations needs it. */
export interface ServedPublisher {
  readonly publisher_id: string;
  readonly channel_id: string;
  /** Subcategories excluded by the channel for all publishers, by the channel for this one, or by the publisher (docs/rules.md#c8). */
  readonly exclusions: ReadonlySet<string>;
}

interface ServedPublisherRow {
  readonly publisher_id: string;
  readonly channel_id: string;
  readonly external_exclusions: readonly string[];
  readonly publisher_exclusions: readonly string[];
  readonly channel_exclusions: readonly string[] | null;
}

/**
 * The publisher that a key serves. A partner-wide key serves every publisher of its channel: the named one, by default the
 * channel's first.
 */
export async function publisherOfKey(
  db: Queries,
  key: KeyRecord,
  named: string | undefined,
): Promise<ServedPublisher | undefined> {
  const isWide = key.kind === 'partner_wide';
  const [row] = await db.hot<ServedPublisherRow>(
    `SELECT publisher_remote_id AS publisher_id, channel_id, external_exclusions, publisher_exclusions,
       (SELECT json_agg(subcategory_id) FROM channel_exclusions c WHERE c.channel_id = publishers.channel_id) AS channel_exclusions
     FROM publishers
     WHERE channel_id = $1 AND status = 'APPROVED' AND removed_at IS NULL AND publisher_remote_id IS NOT NULL
       AND ($2::text IS NULL OR publisher_remote_id::text = $2)
     ORDER BY (publisher_remote_id::text = (SELECT value->>'publisher_remote_id' FROM settings WHERE name = 'first')) DESC NULLS LAST,
       created_at, pending_publisher_id LIMIT 1`,
    [key.channel_id, (isWide ? named?.toLowerCase() : key.publisher_id) ?? null],
  );
  if (!row || (!isWide && key.publisher_id === null)) return undefined;
  const exclusions = [...row.external_exclusions, ...row.publisher_exclusions, ...(row.channel_exclusions ?? [])];
  return {
    publisher_id: row.publisher_id,
    channel_id: row.channel_id,
    exclusions: new Set(exclusions.map((id) => id.toLowerCase())),
  };
}
