import type { Database } from '../database/database.ts';
import { DatabaseUnavailableError } from '../database/DatabaseUnavailableError.ts';
import { openConversions } from './attributeConversions.ts';
import type { Session } from '../sessions/session.ts';
import type { AcceptedEvent } from './countEvents.ts';
import { createGroups } from './createGroups.ts';
import { storeEvents } from './storeEvents.ts';

/** Milliseconds that a request waits at most for others of its publisher. */
const WAIT_MS = 5;
/** Events that are committed together; a group may exceed it by one batch. */
const GROUP_EVENTS = 200;

/** The events of one request that are one publisher's. */
export interface StoreWork {
  readonly events: readonly AcceptedEvent[];
  /** Sessions whose events may earn money. */
  readonly earning: readonly Session[];
}

/** What became of them, once everything is committed. */
export interface StoreResult {
  /** Those that were new. */
  readonly stored: ReadonlySet<AcceptedEvent>;
  /** Whether a session that may earn money has a conversion that is not attributed. */
  readonly hasOpenConversions: boolean;
}

/** Stores the events of one publisher that a request brings. */
export type EventStore = (publisherId: string, work: StoreWork) => Promise<StoreResult>;

/** Stores events, those of concurrent requests for one publisher in one transaction. */
export function createEventStore(db: Database): EventStore {
  async function storeTogether(publisherId: string, works: readonly StoreWork[]): Promise<StoreResult> {
    const sessions = new Map(works.flatMap(({ earning }) => earning.map((session) => [session.session_id, session])));
    const { stored, rows } = await storeEvents(db, {
      publisherId,
      events: works.flatMap(({ events }) => events),
      next: sessions.size > 0 ? openConversions(publisherId, [...sessions.values()]) : undefined,
    });
    return { stored, hasOpenConversions: rows.length > 0 };
  }
  const groups = createGroups<StoreWork, () => Promise<StoreResult>>(
    async (publisherId, works) => {
      try {
        const result = await storeTogether(publisherId, works);
        return works.map(() => async () => result);
      } catch (error) {
        if (works.length === 1 || error instanceof DatabaseUnavailableError) throw error;
        // One of them cannot be stored: each on its own, so that it fails alone.
        return works.map((work) => () => storeTogether(publisherId, [work]));
      }
    },
    { waitMs: WAIT_MS, size: GROUP_EVENTS },
  );
  return async (publisherId, work) => (await groups(publisherId, work, work.events.length))();
}
