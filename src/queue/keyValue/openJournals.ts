import { isObject, own, parseJson, toJson } from '../../wire/json.ts';

/** Storage without transactions, locks or a list of its keys: `localStorage`, React Native's AsyncStorage, or alike. */
export interface KeyValueStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** What one session has stored. Only this session writes it. */
export interface Journal {
  /** The session. */
  readonly id?: unknown;
  /** When it was written, in milliseconds since 1970. */
  readonly at: number;
  readonly rows: Readonly<Record<string, unknown>>;
  /** Keys of rows in other journals that this session has settled. */
  readonly settled: readonly string[];
}

/** The journals that earlier and other sessions have left. */
interface FoundJournals {
  /** Written by sessions that may still be open. */
  readonly live: readonly Journal[];
  /** Written by sessions that are long gone. */
  readonly left: readonly Journal[];
  /** Removes those that are long gone. */
  removeLeft(): Promise<void>;
}

/** The journals of a queue in key-value storage, one in each slot. */
interface Journals {
  find(): Promise<FoundJournals>;
  /** Takes a slot, unless this session has one. */
  claim(): Promise<void>;
  /** Resolves to whether it is written; false if everything was cleared meanwhile. Rejects if the storage does. */
  write(rows: Journal['rows'], settled: readonly string[]): Promise<boolean>;
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
 * Opens the journals of a queue. Storage has no transactions, so no two sessions may write the same key: each has
 * its own slot. The mark and the owner of a slot ensure that without locks (a splitter, after Lamport). A session that
 * still finds its own mark after it has registered as the owner of a free slot is alone.
 */
export function openJournals(storage: KeyValueStorage, name: string, now: () => number = Date.now): Journals {
  const id = `${now().toString(36)} ${Math.random().toString(36).slice(2)}`;
  let slot: number | undefined;
  let writtenAt = 0;
  let isStopped = false;
  let claiming: Promise<number> | undefined;

  const get = async (key: string): Promise<string | undefined> => textOf(await storage.getItem(key));
  const isStale = (): boolean => slot !== undefined && Math.abs(now() - writtenAt) > STALE_MS;

  /** Resolves to this session's slot, a new one if it has none or was away for long. */
  async function ownSlot(): Promise<number> {
    if (slot !== undefined && !isStale()) return slot;
    claiming ??= claim().finally(() => (claiming = undefined));
    return (slot = await claiming);
  }

  /** Resolves to a slot that no other session writes. */
  async function claim(): Promise<number> {
    for (let at = 0; at < SLOTS_MAX; at++) {
      const { mark, owner, journal } = keysOf(name, at);
      await storage.setItem(mark, id);
      if (await get(owner)) continue;
      await storage.setItem(owner, id);
      const found = await get(mark);
      writtenAt = now();
      if (found === id) {
        await storage.setItem(journal, toJson({ at: writtenAt, id, rows: {}, settled: [] }));
        if (isStopped) await clearSlot(storage, name, at);
        return at;
      }
      if (!found) break;
    }
    throw Error('The storage does not return what is written to it');
  }

  /** A session that came after the clearing may have taken the slot: then the journal in it is of another session. */
  async function isCleared(): Promise<boolean> {
    if (slot === undefined) return false;
    const { mark, journal } = keysOf(name, slot);
    return !(await get(mark)) || (!isLeft(writtenAt) && own(parseJson((await get(journal)) ?? ''), 'id') !== id);
  }

  /** Whether it was written so long ago that no session writes it any more. */
  const isLeft = (at: number): boolean => !(Math.abs(now() - at) < 2 * STALE_MS);

  return {
    isCleared,
    async claim() {
      await ownSlot();
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
    async write(rows, settled) {
      if (await isCleared()) return false;
      const mine = await ownSlot();
      const { mark, owner, journal } = keysOf(name, mine);
      const at = now();
      await storage.setItem(journal, toJson({ at, id, rows, settled }));
      writtenAt = at;
      if (isStopped) await clearSlot(storage, name, mine);
      else if ((await get(mark)) && (await get(owner))) return true;
      else await storage.removeItem(journal);
      return false;
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
  // The last first: a slot after one without a mark is never found by sessions that read.
  const slots = Array.from({ length: SLOTS_MAX }, (_, at) => SLOTS_MAX - 1 - at);
  let marked: readonly number[];
  do {
    // All of them: a session that stops may have removed its own slot, and those after it are still there.
    const marks = await Promise.all(slots.map(async (slot) => storage.getItem(keysOf(name, slot).mark)));
    marked = slots.filter((_, at) => textOf(marks[at]));
    for (const slot of marked) await clearSlot(storage, name, slot);
    // Another session may have claimed one meanwhile.
  } while (marked[0] !== undefined);
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
  const [at, rows, settled] = [own(parsed, 'at'), own(parsed, 'rows'), own(parsed, 'settled')];
  return typeof at === 'number' && isObject(rows) && Array.isArray(settled) ? { at, rows, settled } : undefined;
}
