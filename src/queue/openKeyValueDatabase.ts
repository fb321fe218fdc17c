import { isObject, own, parseJson, toJson } from '../wire/json.ts';
import { LATE, within } from './createPost.ts';
import { type Database, type DatabaseListener, HANGING_MS, type Table } from './openDatabase.ts';
import { CONSENT, DEVICE, NOTE, QUEUE_PREFIX } from './rows.ts';

/** Storage without transactions, locks or a list of its keys: `localStorage`, React Native's AsyncStorage, or alike. */
export interface KeyValueStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** Options of `openKeyValueDatabase`. */
interface KeyValueDatabaseOptions {
  readonly storage: KeyValueStorage;
  readonly name: string;
  /** The storage is memory: what is in it does not survive. */
  readonly isMemory?: boolean | undefined;
  /** Ends when what is stored has been cleared: until then nothing is read or written. */
  readonly cleared?: Promise<unknown> | undefined;
}

/**
 * Places for rows, one a session, and for notes. Storage cannot list its keys, so these few can be cleared. A new note may
 * replace another.
 */
const PLACES = [0, 1, 2, 3, 4, 5, 6, 7];
const UNRELIABLE = 'Storage loses what is written to it';
/** Sessions that were opened within so many milliseconds may each have stored a consent: it is one. */
const SAME_TIME_MS = 2_000;

/** The last transaction of this process on each storage: two sessions that change one note at once wait for each other. */
const turns = new WeakMap<KeyValueStorage, Promise<unknown>>();

/**
 * Opens a database on key-value storage. All rows are in memory as well, and each session writes them to a slot. A new session
 * takes over the slots of all others, whether they have ended or not. One that has lost its slot writes to another: its rows
 * may be sent twice, and the relay drops duplicates.
 */
export function openKeyValueDatabase(
  { storage, name, isMemory, cleared }: KeyValueDatabaseOptions,
  { onBroken, onBack }: DatabaseListener,
): Database {
  const id = newKeyValueConsent();
  const mark = useMark(name);
  const rows = new Map<string, unknown>();
  let slot: number | undefined;
  /** The consent that this session knows. */
  let consent: string | undefined;
  /** Consent was withdrawn during a transaction. What is given later is not this session's. */
  let isWithdrawn = false;
  let isLoaded = false;
  let isBroken = false;
  /** Storage did not respond in time, and has not since. */
  let isHanging = false;
  let isClosed = false;
  /** Ends when no transaction is going on. */
  let last: Promise<unknown> = Promise.resolve(cleared);

  const get = async (key: string): Promise<string | undefined> => readStoredText(await storage.getItem(key));

  function back(): void {
    isHanging = false;
    if (isBroken && !isClosed) {
      isBroken = false;
      onBack();
    }
  }

  async function freeSlots(): Promise<number[]> {
    const texts = await Promise.all(PLACES.map((at) => Promise.all(slotKeys(name, at).map(get))));
    return PLACES.filter((at) => !texts[at]?.some(Boolean));
  }

  /** Takes over a slot: what is in it is this session's from now on. */
  async function take(at: number): Promise<void> {
    const [journal, owner] = slotKeys(name, at);
    // First: a session that is still the owner after it has written knows that its rows will be found.
    await storage.setItem(owner, id);
    const found = own(parseJson((await get(journal)) ?? ''), 'rows');
    for (const [key, row] of isObject(found) ? Object.entries(found) : []) if (!rows.has(key)) rows.set(key, row);
  }

  /** Empties a slot, unless another session has taken it over. */
  async function release(at: number): Promise<void> {
    const [journal, owner] = slotKeys(name, at);
    if (at === slot) slot = undefined;
    if ((await get(owner)) !== id) return;
    await storage.removeItem(journal);
    // Last: from now on the slot is another session's.
    await storage.removeItem(owner);
  }

  async function load(): Promise<void> {
    const free = await freeSlots();
    const taken = PLACES.filter((at) => !free.includes(at));
    for (const at of taken) await take(at);
    await save();
    for (const at of taken) if (at !== slot) await release(at);
    isLoaded = true;
  }

  async function save(): Promise<void> {
    for (const _ of PLACES) {
      if (!rows.size && slot === undefined) return;
      if (slot === undefined) await takeFree();
      const [journal, owner] = slotKeys(name, Number(slot));
      if ((await get(owner)) === id) {
        if (rows.size) await storage.setItem(journal, toJson({ rows: Object.fromEntries(rows) }));
        // The session stays the owner: that it is not any more shows that consent was withdrawn.
        else await storage.removeItem(journal);
        if ((await get(owner)) === id) return back();
      }
      slot = undefined;
    }
    throw UNRELIABLE;
  }

  /** Takes a free slot. Which one is random, so that sessions that begin together seldom want the same. */
  async function takeFree(): Promise<void> {
    const free = await freeSlots();
    const among = free[0] === undefined ? PLACES : free;
    slot = among[Math.floor(Math.random() * among.length)] ?? 0;
    await take(slot);
  }

  async function readConsent(): Promise<string | undefined> {
    const found = await get(mark);
    if (!found || isWithdrawn) return undefined;
    consent ??= found;
    if (found === consent) return found;
    // A withdrawal would have emptied the slot.
    const isSame =
      slot === undefined
        ? Math.abs(parseInt(found, 36) - parseInt(consent, 36)) < SAME_TIME_MS
        : (await get(slotKeys(name, slot)[1])) === id;
    return isSame ? consent : found;
  }

  /** Whether another session has withdrawn consent: what it has cleared is not written again. */
  async function isGone(): Promise<boolean> {
    return consent !== undefined && !(await get(mark));
  }

  async function transact<T>(mode: IDBTransactionMode, work: (table: Table) => T | Promise<T>): Promise<T> {
    if (!isLoaded) await load();
    /** What is written besides rows. */
    const texts = new Map<string, string | undefined>();
    let isDirty = false;
    let isCleared = false;
    const result = await work({
      async get(key) {
        if (key === CONSENT) return readConsent();
        if (!key.startsWith(NOTE)) return rows.get(key);
        const note = parseJson((await get(notePlace(key))) ?? '');
        return own(note, 'key') === key ? own(note, 'value') : undefined;
      },
      keys: async () => [...rows.keys()].sort(),
      async read(count) {
        const keys = [...rows.keys()].sort();
        const first = new Map(keys.slice(0, count).map((key) => [key, rows.get(key)]));
        const stored = await readConsent();
        return { keys, first: stored ? first.set(CONSENT, stored) : first };
      },
      async noteKeys() {
        const texts = await Promise.all(NOTE_PLACES.map(get));
        return texts.flatMap((text) => readStoredText(own(parseJson(text ?? ''), 'key')) ?? []);
      },
      put(key, value) {
        if (key === CONSENT) texts.set(mark, String(value));
        else if (key.startsWith(NOTE)) texts.set(notePlace(key), value === undefined ? value : toJson({ key, value }));
        else if (value === undefined) isDirty = rows.delete(key) || isDirty;
        else isDirty = !!rows.set(key, value);
      },
      clear() {
        isCleared = true;
        rows.clear();
        texts.clear();
      },
      // Whether storage takes that or not: memory has done it.
      onCommit: (callBack) => callBack(),
    });
    if (mode === 'readonly') return result;
    if (isCleared) {
      await clearKeyValues(storage, name, texts.has(mark));
      slot = undefined;
      if (!texts.has(mark)) consent = undefined;
    }
    if (texts.has(mark) || !(await isGone())) {
      for (const [key, text] of texts)
        await (text === undefined ? storage.removeItem(key) : storage.setItem(key, text));
      if (texts.has(mark) && !(await get(mark))) throw UNRELIABLE;
      // Another session that began at the same time may have stored its own since.
      consent = texts.get(mark) ?? consent;
      if (isDirty) await save();
      if (!(await isGone())) return result;
    }
    isWithdrawn = true;
    rows.clear();
    if (slot !== undefined) await release(slot);
    for (const key of texts.keys()) await storage.removeItem(key);
    return result;
  }

  /** Waits for other sessions, but not for what storage never ends. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const before = turns.get(storage);
    const done = before ? within(HANGING_MS, before).then(work, work) : work();
    turns.set(storage, done);
    return done;
  }

  return {
    kind: isMemory ? 'memory' : 'key-value',
    async run(mode, work, isPatient) {
      if (isClosed || (isHanging && !isPatient)) return undefined;
      const result = last.then(() => inTurn(() => transact(mode, work)));
      last = result.catch(() => {});
      try {
        return await (isPatient ? result : within(HANGING_MS, result));
      } catch (error) {
        isBroken = true;
        onBroken(error);
        if (error !== LATE) return undefined;
        isHanging = true;
        // It may only have been slow.
        result.then(back, () => (isHanging = false));
        return undefined;
      }
    },
    close(final) {
      const done = final();
      void done.then(async () => {
        isClosed = true;
        await last;
        if (slot !== undefined && !rows.size) await release(slot).catch(() => {});
      });
      return done;
    },
  };
}

/** Removes all rows and notes, and the consent unless it stays. */
export async function clearKeyValues(storage: KeyValueStorage, name: string, keepsConsent?: boolean): Promise<void> {
  const slots = PLACES.flatMap((at) => slotKeys(name, at));
  const mark = keepsConsent ? [] : [useMark(name)];
  for (const key of [...mark, ...slots, ...NOTE_PLACES]) await storage.removeItem(key);
  // Another session may have begun meanwhile.
  for (const key of mark) if (readStoredText(await storage.getItem(key))) await clearKeyValues(storage, name);
}

/** Returns the id of a consent that is stored now. It begins with the time, in base 36. */
export function newKeyValueConsent(): string {
  return `${Date.now().toString(36)} ${Math.random().toString(36).slice(2)}`;
}

/** Returns the key that exists while something may be stored. */
export function useMark(name: string): string {
  return `${name}?`;
}

/** The keys of a slot: of its rows, and of the session that owns it. */
function slotKeys(name: string, at: number): [journal: string, owner: string] {
  const journal = `${name} ${at}`;
  return [journal, `${journal}!`];
}

/** In localStorage, a withdrawal for the whole page clears what begins with `QUEUE_PREFIX`. */
const NOTE_PLACES = [...PLACES, DEVICE].map((place) => `${QUEUE_PREFIX}-orders ${place}`);

function notePlace(key: string): string {
  if (key.endsWith(DEVICE)) return NOTE_PLACES.at(-1) ?? '';
  let hash = 0;
  for (const unit of key) hash = (hash * 31 + (unit.codePointAt(0) ?? 0)) % 1_000_003;
  return NOTE_PLACES[hash % PLACES.length] ?? '';
}

function readStoredText(value: unknown): string | undefined {
  return typeof value === 'string' && value ? value : undefined;
}
