import { IDBDatabase, IDBFactory, IDBKeyRange, IDBObjectStore, IDBTransaction } from 'fake-indexeddb';
import { vi } from 'vitest';
import { type Queue, openQueue } from '../../src/queue/openQueue.ts';
import type { QueueOptions } from '../../src/queue/openCore.ts';
import type { QueueEvent, SendResponse, StoredEvent, TrackedEvent } from '../../src/queue/events.ts';

/** An event as a page has it. */
export function event(id: string, more: Partial<TrackedEvent> = {}): TrackedEvent {
  return { event_id: id, event_name: 'BRAND_DISPLAY', session_id: 's-1', ...more };
}

/** An empty browser storage in place of the one before. */
export function freshStorage(): void {
  const kept = new Map<string, string>();
  const localStorage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  };
  const classes = { IDBDatabase, IDBKeyRange, IDBObjectStore, IDBTransaction };
  for (const [name, value] of Object.entries({ ...classes, indexedDB: new IDBFactory(), localStorage }))
    vi.stubGlobal(name, value);
}

export interface Watched extends Queue {
  batches: string[][];
  emitted: QueueEvent[];
  of<T extends QueueEvent['type']>(type: T): Extract<QueueEvent, { type: T }>[];
}

/** A queue whose batches and events are recorded, and whose server is `answer`. */
export function open(
  answer: (ids: string[], events: readonly StoredEvent[]) => SendResponse | Promise<SendResponse>,
  options: Partial<QueueOptions> = {},
): Watched {
  const batches: string[][] = [];
  const emitted: QueueEvent[] = [];
  const queue = openQueue({
    endpoint: '/events/batch',
    send: async (events) => {
      const ids = events.map(({ event_id }) => event_id);
      batches.push(ids);
      return answer(ids, events);
    },
    onEvent: (event) => void emitted.push(event),
    ...options,
  });
  const of = <T extends QueueEvent['type']>(type: T): Extract<QueueEvent, { type: T }>[] =>
    emitted.filter((event): event is Extract<QueueEvent, { type: T }> => event.type === type);
  return { ...queue, batches, emitted, of };
}

/** The 207 that accepts all but `bad`. */
export function mixed(ids: readonly string[], bad: Readonly<Record<string, boolean>>): SendResponse {
  const results = ids.map((id, index) =>
    id in bad
      ? { index, success: false, error: { code: 'bad', message: `no ${id}`, retryable: bad[id] } }
      : { index, success: true },
  );
  return { status: 207, body: { results } };
}

/** The names `e0` to `e<count - 1>`. */
export function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `e${index}`);
}

/** Storage that takes `ms` to open anything. */
export function slowStorage(ms: number): void {
  const { open } = IDBFactory.prototype;
  const factory = indexedDB;
  vi.spyOn(factory, 'open').mockImplementation((...given) => {
    const late = {} as IDBOpenDBRequest;
    setTimeout(() => {
      const request = open.apply(factory, given);
      request.addEventListener('upgradeneeded', () => {
        Object.assign(late, { result: request.result, transaction: request.transaction });
        late.onupgradeneeded?.call(late, new Event('upgradeneeded') as IDBVersionChangeEvent);
      });
      request.addEventListener('success', () =>
        late.onsuccess?.call(Object.assign(late, { result: request.result }), new Event('success')),
      );
      request.addEventListener('error', (error) => {
        error.preventDefault();
        late.onerror?.call(Object.assign(late, { error: request.error }), new Event('error'));
      });
    }, ms);
    return late;
  });
}

/** Puts values into the queue's database, past the queue. */
export async function putRows(values: readonly (readonly [value: unknown, key: IDBValidKey])[]): Promise<void> {
  const db = await new Promise<IDBDatabase>((done) => {
    const request = indexedDB.open('offerlet-queue /events/batch');
    request.addEventListener('success', () => done(request.result));
  });
  const transaction = db.transaction('rows', 'readwrite');
  for (const [value, key] of values) transaction.objectStore('rows').put(value, key);
  await new Promise((done) => transaction.addEventListener('complete', done));
  db.close();
}

/** The ids in the queue's database, read past the queue. */
export async function onDisk(
  name = 'offerlet-queue /events/batch',
): Promise<{ events: string[]; letters: string[]; keys: string[] }> {
  const db = await new Promise<IDBDatabase>((done, failed) => {
    const request = indexedDB.open(name);
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore('rows'));
    request.addEventListener('success', () => done(request.result));
    request.addEventListener('error', () => failed(request.error));
  });
  const rows = db.transaction('rows').objectStore('rows');
  const all = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((done) => request.addEventListener('success', () => done(request.result)));
  const [keys, values] = (await Promise.all([all(rows.getAllKeys()), all(rows.getAll())])) as [
    string[],
    { event: StoredEvent }[],
  ];
  db.close();
  const ids = (wanted: (key: string) => boolean): string[] =>
    keys.flatMap((key, at) => (wanted(key) ? [values[at]?.event.event_id ?? ''] : []));
  return { keys, events: ids((key) => key > '0' && key < '~'), letters: ids((key) => key > '~' && key < '~~') };
}
