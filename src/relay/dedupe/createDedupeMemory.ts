import { hashText } from '../../wire/hash.ts';
import { readUuid } from '../../wire/json.ts';
import type { WireEvent } from '../../wire/events.ts';
import { DEDUPE_MAX_AGE_MS } from '../../wire/limits.ts';
import { checkWhole } from '../options/optionValue.ts';
import type { DedupeClaim, DedupeStore } from './dedupeStore.ts';

export interface DedupeMemoryOptions {
  /** Events remembered at most, 46 bytes each. A full memory drops the oldest events of the sender that has most. */
  max?: number;
  maxAgeMs?: number;
  /** By default, a clock that does not jump when the machine's clock is set. */
  now?: () => number;
}

/** A bounded memory of accepted events. */
export interface DedupeMemory extends DedupeStore {
  claim(keys: readonly string[]): readonly DedupeClaim[];
  accept(keys: readonly string[], sender?: string): void;
  release(keys: readonly string[]): void;
  /** Number of events remembered. */
  size(): number;
}

/** 9 MB. */
const DEFAULT_MAX = 200_000;
/** 4.6 GB. */
const MOST = 100_000_000;

/** Accepted events in this process's memory: gone after a restart, when one duplicate per event can slip through. */
export function createDedupeMemory(options: DedupeMemoryOptions = {}): DedupeMemory {
  const table = dedupeTable(options);
  return {
    claim: (keys) => table.claim(keys),
    accept: (keys, sender) => void table.accept(keys, sender),
    release: () => undefined,
    size: () => table.size(),
  };
}

/** One accepted event. */
export interface DedupeEntry {
  /** 32 hexadecimal digits. */
  readonly key: string;
  readonly acceptedAt: number;
  /** A number below `SENDERS` for the client that it came from. */
  readonly sender: number;
}

export interface DedupeTable {
  claim(keys: readonly string[]): readonly DedupeClaim[];
  /** Adds events that the network accepted now. Returns what their entries have in common. */
  accept(keys: readonly string[], sender?: string): Omit<DedupeEntry, 'key'>;
  /** Adds an entry unless its key is there. A full table first drops the oldest entry of the biggest sender. */
  restore(entry: DedupeEntry): void;
  /** All entries, the oldest first. */
  entries(): IterableIterator<DedupeEntry>;
  size(): number;
}

/** Numbers of senders; those with the same number share a part of the table. */
export const SENDERS = 4_096;
const NONE = -1;
const FIRST_CAPACITY = 1_024;
/** Evictions for which the biggest sender is looked up once: a share of the table, and at least this many. */
const EVICTIONS_PER_SEARCH = 20;
const SEARCH_SHARE = 1 / 1_000;

/**
 * A table of accepted events in typed arrays: 46 bytes an entry (measured in test/relay/dedupe/memory.test.ts). Strings in
 * a Map would take three times as much, and a million small objects would slow down every garbage collection.
 *
 * The salt chooses which senders share a number. It is secret and random: with it, anybody could pick an address that
 * shares the number of another sender, and have that one's events dropped.
 */
export function dedupeTable(
  { max = DEFAULT_MAX, maxAgeMs = DEDUPE_MAX_AGE_MS, now = steadyClock() }: DedupeMemoryOptions,
  salt: number = randomSalt(),
): DedupeTable {
  checkWhole('max', max, MOST);
  checkWhole('maxAgeMs', maxAgeMs);
  let capacity = Math.min(max, FIRST_CAPACITY);
  // Columns: one slot per entry. 16 + 8 + 2 bytes of content, 20 of links.
  let words = new Uint32Array(capacity * 4);
  let times = new Float64Array(capacity);
  let senders = new Uint16Array(capacity);
  /** The next slot in the same hash bucket. */
  let chain = new Int32Array(capacity);
  /** The neighbours in the order of acceptance. */
  let older = new Int32Array(capacity);
  let newer = new Int32Array(capacity);
  /** The next newer slot of the same sender. */
  let newerOfSender = new Int32Array(capacity);
  let buckets = new Int32Array(capacity).fill(NONE);

  const oldestOf = new Int32Array(SENDERS).fill(NONE);
  const newestOf = new Int32Array(SENDERS).fill(NONE);
  const countOf = new Uint32Array(SENDERS);
  const wanted = new Uint32Array(4);
  let oldest = NONE;
  let newest = NONE;
  /** Slots that were used and are free again, linked by `chain`. */
  let free = NONE;
  let used = 0;
  let size = 0;
  let biggest = 0;
  let evictions = 0;
  const evictionsPerSearch = Math.max(EVICTIONS_PER_SEARCH, Math.floor(max * SEARCH_SHARE));

  function find(key: string): number {
    readWords(key, wanted);
    let slot = buckets[bucketOf(wanted[0])] ?? NONE;
    while (slot !== NONE && !isWanted(slot * 4)) slot = chain[slot] ?? NONE;
    return slot;
  }

  function isWanted(at: number): boolean {
    // One by one: destructuring or a loop over so few is several times slower.
    return (
      words[at] === wanted[0] &&
      words[at + 1] === wanted[1] &&
      words[at + 2] === wanted[2] &&
      words[at + 3] === wanted[3]
    );
  }

  function bucketOf(word = 0): number {
    // A hash is as likely to be in one part of its range as in another; dividing would take several times as long.
    return Math.floor(word * (capacity / 2 ** 32));
  }

  /** Removes an entry that is the oldest of its sender. */
  function remove(slot: number): void {
    const bucket = bucketOf(words[slot * 4]);
    if (buckets[bucket] === slot) buckets[bucket] = chain[slot] ?? NONE;
    else {
      let before = buckets[bucket] ?? NONE;
      while (chain[before] !== slot) before = chain[before] ?? NONE;
      chain[before] = chain[slot] ?? NONE;
    }

    const left = older[slot] ?? NONE;
    const right = newer[slot] ?? NONE;
    if (left === NONE) oldest = right;
    else newer[left] = right;
    if (right === NONE) newest = left;
    else older[right] = left;

    const sender = senders[slot] ?? 0;
    oldestOf[sender] = newerOfSender[slot] ?? NONE;
    if (oldestOf[sender] === NONE) newestOf[sender] = NONE;
    countOf[sender] = (countOf[sender] ?? 0) - 1;

    chain[slot] = free;
    free = slot;
    size -= 1;
  }

  function evict(): void {
    if (evictions % evictionsPerSearch === 0 || countOf[biggest] === 0) biggest = indexOfMaximum(countOf);
    evictions += 1;
    remove(oldestOf[biggest] ?? NONE);
  }

  function takeSlot(): number {
    if (size === max) evict();
    const slot = free;
    if (slot !== NONE) {
      free = chain[slot] ?? NONE;
      return slot;
    }
    if (used === capacity) grow();
    used += 1;
    return used - 1;
  }

  function grow(): void {
    capacity = Math.min(max, capacity * 2);
    words = enlarge(words, new Uint32Array(capacity * 4));
    times = enlarge(times, new Float64Array(capacity));
    senders = enlarge(senders, new Uint16Array(capacity));
    older = enlarge(older, new Int32Array(capacity));
    newer = enlarge(newer, new Int32Array(capacity));
    newerOfSender = enlarge(newerOfSender, new Int32Array(capacity));
    // It grows when no slot is free, so every link in a chain belongs to an entry.
    chain = new Int32Array(capacity);
    buckets = new Int32Array(capacity).fill(NONE);
    for (let slot = oldest; slot !== NONE; slot = newer[slot] ?? NONE) putIntoBucket(slot);
  }

  function putIntoBucket(slot: number): void {
    const bucket = bucketOf(words[slot * 4]);
    chain[slot] = buckets[bucket] ?? NONE;
    buckets[bucket] = slot;
  }

  function add(key: string, { acceptedAt, sender }: Omit<DedupeEntry, 'key'>): void {
    if (find(key) !== NONE) return;
    const slot = takeSlot();
    words.set(wanted, slot * 4);
    times[slot] = acceptedAt;
    senders[slot] = sender;
    putIntoBucket(slot);

    older[slot] = newest;
    newer[slot] = NONE;
    if (newest === NONE) oldest = slot;
    else newer[newest] = slot;
    newest = slot;

    const before = newestOf[sender] ?? NONE;
    newerOfSender[slot] = NONE;
    if (before === NONE) oldestOf[sender] = slot;
    else newerOfSender[before] = slot;
    newestOf[sender] = slot;
    countOf[sender] = (countOf[sender] ?? 0) + 1;
    size += 1;
  }

  return {
    claim(keys) {
      const expired = now() - maxAgeMs;
      while (oldest !== NONE && (times[oldest] ?? 0) <= expired) remove(oldest);
      return keys.map((key) => (find(key) === NONE ? 'new' : 'known'));
    },
    accept(keys, sender = '') {
      const accepted = { acceptedAt: Math.floor(now()), sender: senderNumber(sender, salt) };
      for (const key of keys) add(key, accepted);
      return accepted;
    },
    restore: (entry) => add(entry.key, entry),
    *entries() {
      for (let slot = oldest; slot !== NONE; slot = newer[slot] ?? NONE)
        yield { key: keyAt(words, slot * 4), acceptedAt: times[slot] ?? 0, sender: senders[slot] ?? 0 };
    },
    size: () => size,
  };
}

/** A salt for a new table. */
export function randomSalt(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

/** The number of a sender (FNV-1a from a secret start, mixed once more at the end as in MurmurHash3). */
function senderNumber(sender: string, salt: number): number {
  let hash = salt;
  for (let at = 0; at < sender.length; at++) hash = Math.imul(hash ^ sender.charCodeAt(at), 0x01_00_01_93);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) & (SENDERS - 1);
}

function enlarge<Column extends Uint32Array | Float64Array | Uint16Array | Int32Array>(
  column: Column,
  larger: Column,
): Column {
  larger.set(column);
  return larger;
}

/** Reads 32 hexadecimal digits into four numbers. */
function readWords(key: string, into: Uint32Array): void {
  if (key.length !== KEY_DIGITS) throw new RangeError('The key of an event is 32 hexadecimal digits.');
  for (let word = 0, at = 0; word < 4; word++) {
    let value = 0;
    for (const end = at + 8; at < end; at++) value = (value << 4) | (DIGITS[key.charCodeAt(at)] ?? 0);
    into[word] = value;
  }
}

/** The value of each hexadecimal digit, by its character code. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => Number.parseInt(String.fromCharCode(code), 16) || 0);

function keyAt(words: Uint32Array, at: number): string {
  let key = '';
  for (const word of words.subarray(at, at + 4)) key += word.toString(16).padStart(8, '0');
  return key;
}

function indexOfMaximum(counts: Uint32Array): number {
  let found = 0;
  for (let at = 1; at < counts.length; at++) if ((counts[at] ?? 0) > (counts[found] ?? 0)) found = at;
  return found;
}

/**
 * Returns a clock for ages and expiry: the time at its creation, plus what has passed since. Unlike `Date.now`, it does not
 * jump when somebody sets the machine's clock.
 */
export function steadyClock(): () => number {
  const start = Date.now() - performance.now();
  return () => start + performance.now();
}

/** Returns the earlier of two clocks: neither a moment's wrong time nor one at the start makes anything look too old. */
export function carefulClock(): () => number {
  const steady = steadyClock();
  return () => Math.min(Date.now(), steady());
}

/** Hexadecimal digits of a key: 16 bytes, so that two events never share one. */
const KEY_DIGITS = 32;

/** The key of each event for a `DedupeStore`; `undefined` for one without an id, which cannot be recognized again. */
type EventKeys = (
  events: readonly Pick<WireEvent, 'session_id' | 'event_id'>[],
) => readonly (string | undefined)[] | Promise<readonly (string | undefined)[]>;

/** Returns an `EventKeys` on SHA-256: synchronous where the runtime has `node:crypto`, on Web Crypto elsewhere. */
export function createEventKeys(): EventKeys {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (!node)
    return (events) => Promise.all(keysOf(events, hashText).map(async (key) => (await key)?.slice(0, KEY_DIGITS)));
  // One call is three times as fast as an object for each hash. Node has it from 20.12, other runtimes may not.
  const hash =
    typeof node.hash === 'function'
      ? (text: string) => node.hash('sha256', text, 'hex').slice(0, KEY_DIGITS)
      : (text: string) => node.createHash('sha256').update(text).digest('hex').slice(0, KEY_DIGITS);
  return (events) => keysOf(events, hash);
}

function keysOf<Key>(events: Parameters<EventKeys>[0], hash: (text: string) => Key): readonly (Key | undefined)[] {
  let last: string | undefined;
  let prefix = '';
  return events.map(({ session_id, event_id }) => {
    if (event_id === undefined) return undefined;
    // Usually all events of a batch are of one session. Ids contain no control characters, so the separator keeps any two
    // pairs apart.
    if (session_id !== last) prefix = `${sessionKey(session_id)}\0`;
    last = session_id;
    return hash(prefix + event_id);
  });
}

/** What a session is recognized by: a UUID is the same in any letter case, another id is not. */
export function sessionKey(sessionId: string): string {
  return readUuid(sessionId) ?? sessionId;
}
