import { own, parseJson, toJson } from '../../wire/json.ts';
import { openCore, type Notes, type SessionQueue, type SessionQueueOptions } from '../openCore.ts';
import { within } from '../createPost.ts';
import { HANGING_MS, QUEUE_PREFIX, queueName } from '../rows.ts';
import { clearJournals, type KeyValueStorage } from './openJournals.ts';
import { openKeyValueRows, type KeyValueRows } from './openKeyValueRows.ts';

/** Exists while a withdrawal is being cleared: if the session is killed meanwhile, the next one goes on with it. */
const PENDING = `${QUEUE_PREFIX}-withdrawn`;

/** Options of `openKeyValueQueue`. */
interface KeyValueQueueOptions extends SessionQueueOptions {
  /** The storage is memory: what is in it does not survive. */
  readonly isMemory?: boolean;
  /** Ends when what is stored has been cleared: until then nothing is read or written. */
  readonly cleared?: Promise<unknown> | undefined;
}

/** Opens the queue of a session that stores events and notes in key-value storage. */
export function openKeyValueQueue(
  storage: KeyValueStorage,
  { isMemory, cleared, ...options }: KeyValueQueueOptions,
): SessionQueue {
  let rows: KeyValueRows | undefined;
  const core = openCore(
    (name, listener) => (rows = openKeyValueRows({ storage, name, isMemory, cleared, listener })),
    options,
  );
  const notes = openKeyValueNotes(storage, { cleared, isCleared: async () => (await rows?.isCleared()) === true });
  return {
    ...core,
    notes,
    async withdraw() {
      core.stop();
      // Writes in flight would otherwise be cleared by their writer, when the slot may be another session's already.
      const stopped = Promise.all([notes.stop(), core.rows.clear()]);
      await setMark(storage);
      await stopped;
      await clearKeyValueQueue(storage, options.endpoint);
    },
  };
}

/** Removes the events and notes of an endpoint. Resolves when nothing is left, or the storage fails; never rejects. */
export async function clearKeyValueQueue(storage: KeyValueStorage, endpoint: string): Promise<void> {
  try {
    // Nothing is marked where nothing is stored.
    if (await storage.getItem(`${queueName(endpoint)} 0?`)) await setMark(storage);
    await Promise.all([clearJournals(storage, queueName(endpoint)), clearNotes(storage)]);
    await storage.removeItem(PENDING);
  } catch {
    // The mark stays.
  }
}

/** Full storage takes no mark, but what is in it can be removed all the same. */
async function setMark(storage: KeyValueStorage): Promise<void> {
  try {
    await storage.setItem(PENDING, '1');
  } catch {
    // A session that is killed now leaves what it has not removed yet.
  }
}

/** Goes on with a withdrawal that an earlier session had no time to clear. */
export async function resumeClearing(storage: KeyValueStorage, endpoint: string): Promise<void> {
  try {
    if (await storage.getItem(PENDING)) await clearKeyValueQueue(storage, endpoint);
  } catch {
    // Storage fails: nothing is read from it either.
  }
}

/** Notes that are stored; a new one may replace another. Storage cannot list its keys, so these few can be cleared. */
const PLACES = 8;
/** In localStorage, a withdrawal for the whole page clears what begins with `QUEUE_PREFIX`. */
const PREFIX = `${QUEUE_PREFIX}-orders `;

/** Notes that can be stopped. */
interface KeyValueNotes extends Notes {
  /** Writes nothing more. Resolves once what is being written is, or storage is too slow to wait for. */
  stop(): Promise<unknown>;
}

/** What the notes need to know of withdrawals. */
interface NotesGuard {
  /** Ends when what is stored has been cleared. */
  readonly cleared?: Promise<unknown> | undefined;
  /** Whether another session has cleared the storage. */
  isCleared(): Promise<boolean>;
}

/** Opens notes in key-value storage. */
function openKeyValueNotes(storage: KeyValueStorage, guard: NotesGuard): KeyValueNotes {
  let last: Promise<unknown> = Promise.resolve(guard.cleared);
  let isHanging = false;
  let isStopped = false;

  /** Runs one after the other what reads and then writes. Resolves to undefined when storage fails or is too slow to wait for. */
  function run<T>(work: () => Promise<T>): Promise<T | undefined> {
    const done = last.then(work).catch(() => undefined);
    last = done.then(() => (isHanging = false));
    return isHanging ? Promise.resolve(undefined) : within(HANGING_MS, done).catch(() => void (isHanging = true));
  }

  async function get(place: string): Promise<unknown> {
    const text = await storage.getItem(place);
    return typeof text === 'string' ? parseJson(text) : undefined;
  }

  return {
    // Nothing is held in memory.
    forget() {},
    stop() {
      isStopped = true;
      return run(async () => {});
    },
    read(key) {
      return run(async () => {
        const stored = await get(placeOf(key));
        return own(stored, 'key') === key ? own(stored, 'value') : undefined;
      });
    },
    async update(key, change) {
      await run(async () => {
        const place = placeOf(key);
        const stored = await get(place);
        const value = change(own(stored, 'key') === key ? own(stored, 'value') : undefined);
        if (isStopped || (await guard.isCleared())) return;
        await (value === undefined ? storage.removeItem(place) : storage.setItem(place, toJson({ key, value })));
        // It may have hung for longer than anybody waited, and another session may have cleared what it did not find.
        if (isStopped || (await guard.isCleared())) await storage.removeItem(place);
      });
    },
    async sweep(isFresh) {
      await run(async () => {
        for (const place of places()) {
          const stored = await get(place);
          if (stored && !isFresh(own(stored, 'value'))) await storage.removeItem(place);
        }
      });
    },
  };
}

/** Removes all notes. */
async function clearNotes(storage: KeyValueStorage): Promise<void> {
  for (const place of places()) await storage.removeItem(place);
}

function places(): string[] {
  return [...Array(PLACES).keys()].map((place) => PREFIX + place);
}

function placeOf(key: string): string {
  let hash = 0;
  for (const unit of key) hash = (hash * 31 + (unit.codePointAt(0) ?? 0)) % 1_000_003;
  return PREFIX + (hash % PLACES);
}
