import { isObject, own, parseJson } from '../../wire/json.ts';
import { toJson } from '../../wire/toJson.ts';

/** Storage without transactions, locks or a list of its keys: `localStorage`, React Native's AsyncStorage, or alike. */
export interface KeyValueStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** What one session has stored. Only this session writes it. */
export interface Journal {
  /** When it was written, in milliseconds since 1970. */
  readonly at: number;
  readonly rows: Readonly<Record<string, unknown>>;
  /** Keys of rows in other journals that this session has settled. */
  readonly gone: readonly string[];
}

/** The journals that earlier and other sessions have left. */
export interface FoundJournals {
  /** Written by sessions that may still be open. */
  readonly live: readonly Journal[];
  /** Written by sessions that are long gone. */
  readonly left: readonly Journal[];
  /** Removes those that are long gone. */
  removeLeft(): Promise<void>;
}

/** The journals of a queue in key-value storage, one in each slot. */
export interface Journals {
  find(): Promise<FoundJournals>;
  /** Takes a slot, unless this session has one. */
  claim(): Promise<void>;
  /** Resolves to whether it is written; false if everything was cleared meanwhile. Rejects if the storage does. */
  write(rows: Journal['rows'], gone: readonly string[]): Promise<boolean>;
  /** Whether the storage was cleared since this session first wrote to it. */
  isCleared(): Promise<boolean>;
  /** Removes what is being written. */
  stop(): void;
  /** Gives the slot back. */
  release(): Promise<void>;
}

/** Milliseconds without a write after which a session takes another slot, and twice as long until others take over its rows. */
const STALE_MS = 30 * 60_000;
/** More slots than a device has sessions in an hour. */
const SLOTS_MAX = 64;

/**
 * Opens the journals of a queue. Storage has no transactions, so no two sessions may write the same key: each has a slot of
 * its own. The mark and the owner of a slot make sure of that without locks (a splitter, after Lamport): whoever still finds
 * its own mark after it has put itself down as owner of a free slot is alone.
 */
export function openJournals(storage: KeyValueStorage, name: string, now: () => number = Date.now): Journals {
  const id = `${now().toString(36)} ${Math.random().toString(36).slice(2)}`;
  let slot: number | undefined;
  let writtenAt = 0;
  let isStopped = false;

  const get = async (key: string): Promise<string | undefined> => textOf(await storage.getItem(key));
  const isStale = (): boolean => slot !== undefined && Math.abs(now() - writtenAt) > STALE_MS;

  /** Resolves to a slot that no other session writes. */
  async function claim(): Promise<number> {
    for (let at = 0; at < SLOTS_MAX; at++) {
      const { mark, owner } = keysOf(name, at);
      await storage.setItem(mark, id);
      if (await get(owner)) continue;
      await storage.setItem(owner, id);
      const found = await get(mark);
      writtenAt = now();
      if (found === id) return at;
      if (!found) break;
    }
    throw Error('The storage does not return what is written to it');
  }

  async function isCleared(): Promise<boolean> {
    return slot !== undefined && !(await get(keysOf(name, slot).mark));
  }

  /** Whether it was written so long ago that no session writes it any more. */
  const isLeft = (at: number): boolean => !(Math.abs(now() - at) < 2 * STALE_MS);

  return {
    isCleared,
    async claim() {
      slot ??= await claim();
    },
    async find() {
      const live: Journal[] = [];
      const left: Journal[] = [];
      const removals: (() => Promise<void>)[] = [];
      for (let at = 0; at < SLOTS_MAX; at++) {
        const { mark, owner, journal } = keysOf(name, at);
        const [marked, owned, text] = await Promise.all([mark, owner, journal].map(get));
        if (!marked) break;
        const found = readJournal(text);
        if (!owned) continue;
        if (!isLeft(found?.at ?? parseInt(owned, 36))) {
          if (found) live.push(found);
          continue;
        }
        if (found) left.push(found);
        removals.push(async () => {
          // Another session may have removed it, and a third may have the slot by now.
          const isSame = (await get(journal)) === text && (await get(owner)) === owned;
          for (const key of isSame ? [journal, owner] : []) await storage.removeItem(key);
        });
      }
      return {
        live,
        left,
        async removeLeft() {
          for (const remove of removals) await remove();
        },
      };
    },
    async write(rows, gone) {
      for (;;) {
        if (isStale() && (await isCleared())) return false;
        if (slot === undefined || isStale()) slot = await claim();
        const { mark, owner, journal } = keysOf(name, slot);
        const at = now();
        await storage.setItem(journal, toJson({ at, rows, gone }));
        writtenAt = at;
        if (isStopped) await clearSlot(storage, name, slot);
        else if (!(await get(mark))) await storage.removeItem(journal);
        else if (await get(owner)) return true;
        // Others took this session for long gone.
        else slot = undefined;
        if (slot !== undefined) return false;
      }
    },
    stop() {
      isStopped = true;
    },
    async release() {
      if (slot === undefined || isStale()) return;
      const { journal, owner } = keysOf(name, slot);
      slot = undefined;
      await storage.removeItem(journal);
      // Last: from now on the slot is another session's.
      await storage.removeItem(owner);
    },
  };
}

/** Removes all journals of a queue. */
export async function clearJournals(storage: KeyValueStorage, name: string): Promise<void> {
  let first;
  let count = 0;
  do {
    first = count;
    while (count < SLOTS_MAX && textOf(await storage.getItem(keysOf(name, count).mark))) count++;
    // The last first: a slot after one without a mark is never found.
    for (let slot = count; slot-- > first;) await clearSlot(storage, name, slot);
    // Another session may have claimed the next one meanwhile.
  } while (count > first);
}

/** Removes a slot. A session that writes its journal meanwhile notices that the mark is missing, and removes it. */
async function clearSlot(storage: KeyValueStorage, name: string, slot: number): Promise<void> {
  const { mark, owner, journal } = keysOf(name, slot);
  for (const key of [journal, mark, owner, journal]) await storage.removeItem(key);
}

function keysOf(name: string, slot: number): { mark: string; owner: string; journal: string } {
  const journal = `${name} ${slot}`;
  return { mark: `${journal}?`, owner: `${journal}!`, journal };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined;
}

function readJournal(text: string | undefined): Journal | undefined {
  const parsed = parseJson(text ?? '');
  const [at, rows, gone] = [own(parsed, 'at'), own(parsed, 'rows'), own(parsed, 'gone')];
  return typeof at === 'number' && isObject(rows) && Array.isArray(gone) ? { at, rows, gone } : undefined;
}
