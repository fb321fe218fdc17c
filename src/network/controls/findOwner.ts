import { own } from '../../wire/json.ts';
import type { Queries } from '../database/database.ts';
import { readSetting } from '../settings/settings.ts';

/** A channel and one of its publishers. */
export interface Owner {
  readonly channel_id: string;
  readonly publisher_id: string;
}

/** The publisher with this id and its channel; by default the first of each. */
export async function findOwner(db: Queries, publisherRemoteId?: string): Promise<Owner | undefined> {
  if (publisherRemoteId === undefined) {
    const first = await readSetting(db, 'first');
    return { channel_id: String(own(first, 'channel_id')), publisher_id: String(own(first, 'publisher_remote_id')) };
  }
  const [row] = await db.query<Owner>(
    'SELECT channel_id, publisher_remote_id AS publisher_id FROM publishers WHERE publisher_remote_id = $1',
    [publisherRemoteId],
  );
  return row;
}
