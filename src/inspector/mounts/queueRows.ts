import { readId } from '../../wire/readId.ts';
import { isObject, own } from '../../wire/json.ts';
import type { DeadLetter, Queue } from '../mount.ts';
import { QUEUE_PREFIX } from '../force/forcePage.ts';

/** The prefix of dead letters' keys in the queue's store. */
const DEAD = '~';

/** One event that waits on this device. */
export interface QueueRow {
  readonly event_id: string;
  readonly event_name: string;
  readonly event_datetime: string;
  /** How often it was refused. */
  readonly tries: number;
}

/** Returns the rows on disk that wait for delivery; none when there is no storage. */
export async function readRows(relay: string): Promise<QueueRow[]> {
  const rows: QueueRow[] = [];
  await walk(relay, 'readonly', (key, value) => {
    const event = own(value, 'event');
    if (key < '0' || key >= DEAD || !isObject(event)) return;
    const text = (name: string): string => readId(own(event, name)) ?? '';
    const tries = Number(own(value, 'tries') ?? 0);
    rows.push({
      event_id: text('event_id'),
      event_name: text('event_name'),
      event_datetime: text('event_datetime'),
      tries,
    });
  });
  return rows;
}

/** Removes a dead letter and sends its event again, with the same id. */
export async function replay(relay: string, queue: Queue, { event }: DeadLetter): Promise<void> {
  await walk(relay, 'readwrite', (key, value, remove) => {
    if (key.startsWith(DEAD) && own(own(value, 'event'), 'event_id') === event.event_id) remove();
  });
  await queue.track(event);
  await queue.flush();
}

/** Visits every row of the queue's store. It never creates a database, because another schema would break the queue. */
function walk(
  relay: string,
  mode: IDBTransactionMode,
  look: (key: string, value: unknown, remove: () => void) => void,
): Promise<void> {
  return new Promise((resolve) => {
    try {
      const opening = indexedDB.open(`${QUEUE_PREFIX} ${relay}/events/batch`);
      opening.onupgradeneeded = () => opening.transaction?.abort();
      opening.addEventListener('error', () => resolve());
      opening.onsuccess = () => {
        const db = opening.result;
        db.onversionchange = () => db.close();
        if (!db.objectStoreNames.contains('rows')) return finish(db);
        const transaction = db.transaction('rows', mode);
        const reading = transaction.objectStore('rows').openCursor();
        reading.onsuccess = () => {
          const cursor = reading.result;
          if (!cursor) return;
          if (typeof cursor.key === 'string')
            look(cursor.key, cursor.value, () => void (cursor as IDBCursorWithValue).delete());
          cursor.continue();
        };
        transaction.addEventListener('complete', () => finish(db));
        transaction.addEventListener('abort', () => finish(db));
      };
    } catch {
      resolve();
    }

    function finish(db: IDBDatabase): void {
      db.close();
      resolve();
    }
  });
}
