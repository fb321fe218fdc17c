import { own, parseJson } from '../../wire/json.ts';
import { toJson } from '../../wire/toJson.ts';
import { QUEUE_PREFIX } from '../rows/key.ts';
import type { Notes } from '../rows/openNotes.ts';
import { HANGING_MS, within } from '../within.ts';
import type { KeyValueStorage } from './openJournals.ts';

/** Notes that are stored; a new one replaces another now and then. Storage cannot list its keys, so these few can be cleared. */
const PLACES = 8;
/** In localStorage, a withdrawal for the whole page clears what begins with `QUEUE_PREFIX`. */
const PREFIX = `${QUEUE_PREFIX}-orders `;

/** Notes that can be stopped. */
export interface KeyValueNotes extends Notes {
  /** Writes nothing more. Resolves once what is being written is, or storage is too slow to wait for. */
  stop(): Promise<unknown>;
}

/** What the notes need to know of withdrawals. */
export interface NotesGuard {
  /** Ends when what is stored has been cleared. */
  readonly cleared?: Promise<unknown> | undefined;
  /** Whether another session has cleared the storage. */
  isCleared(): Promise<boolean>;
}

/** Opens notes in key-value storage. */
export function openKeyValueNotes(storage: KeyValueStorage, guard: NotesGuard): KeyValueNotes {
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
export async function clearNotes(storage: KeyValueStorage): Promise<void> {
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
