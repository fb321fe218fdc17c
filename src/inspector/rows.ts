import { readId } from '../wire/readId.ts';
import { isObject, own } from '../wire/json.ts';
import type { DeadLetter, MountQueue } from './mount.ts';
import { QUEUE_PREFIX } from './onPage.ts';

/** Begins the keys of dead letters in the queue's store. */
const DEAD = '~';

/** One event that waits on this device; refused ones know how often. */
export interface Row {
  readonly event_id: string;
  readonly event_name: string;
  readonly event_datetime: string;
  readonly tries: number;
}

/** The rows on disk that are yet to be delivered; none where there is no disk. */
export async function readRows(relay: string): Promise<Row[]> {
  const rows: Row[] = [];
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

/** Sends a dead letter once more, under its own id, and takes it off the dead ones. */
export async function replay(relay: string, queue: MountQueue, { event }: DeadLetter): Promise<void> {
  await walk(relay, 'readwrite', (key, value, remove) => {
    if (key.startsWith(DEAD) && own(own(value, 'event'), 'event_id') === event.event_id) remove();
  });
  await queue.track(event);
  await queue.flush();
}

/** Looks at every row of the queue's store. It never makes a database: a store of another shape would break the queue. */
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
