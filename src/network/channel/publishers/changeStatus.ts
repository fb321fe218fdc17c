import { randomUUID } from 'node:crypto';
import type { PublisherDetail, PublisherStatus } from '../../../wire/channel.ts';
import type { Environment } from '../../../wire/keys.ts';
import type { Database } from '../../database/database.ts';
import { createKey } from '../../keys/storedKeys.ts';
import { detail, findPublisher } from './publisherRow.ts';

/** A decision of the network's staff about a request. */
export interface StatusChange {
  readonly id: string;
  readonly status: PublisherStatus;
  readonly staff_notes?: string;
  readonly environment: Environment;
  readonly now: Date;
}

/** The publisher after the change, with keys at approval only. */
export interface ChangedStatus {
  readonly publisher: PublisherDetail;
  readonly keys?: { readonly integration: string; readonly publisher_reporting: string };
}

/** Changes the status of a request. The first approval gives the publisher its id and keys. Returns `undefined` for an unknown id. */
export async function changeStatus(db: Database, change: StatusChange): Promise<ChangedStatus | undefined> {
  return db.transaction(async (transaction) => {
    const [row] = await transaction.query<{ channel_id: string; publisher_remote_id: string | null }>(
      `UPDATE publishers SET status = $2, staff_notes = coalesce($3, staff_notes), updated_at = $4
       WHERE removed_at IS NULL AND (pending_publisher_id = $1 OR publisher_remote_id = $1) RETURNING channel_id, publisher_remote_id`,
      [change.id, change.status, change.staff_notes ?? null, change.now],
    );
    if (!row) return undefined;
    let keys: ChangedStatus['keys'];
    if (change.status === 'APPROVED' && row.publisher_remote_id === null) {
      const publisherId = randomUUID();
      const make = async (kind: 'publishable' | 'integration' | 'publisher_reporting'): Promise<string> =>
        (
          await createKey(transaction, {
            kind,
            environment: change.environment,
            issuedIn: change.environment,
            channelId: row.channel_id,
            publisherId,
            now: change.now,
          })
        ).key;
      await transaction.query(
        'UPDATE publishers SET publisher_remote_id = $2, api_key = $3 WHERE pending_publisher_id = $1',
        [change.id, publisherId, await make('publishable')],
      );
      keys = { integration: await make('integration'), publisher_reporting: await make('publisher_reporting') };
    }
    const changed = await findPublisher(transaction, row.channel_id, change.id);
    return changed && { publisher: detail(changed), ...(keys ? { keys } : {}) };
  });
}
