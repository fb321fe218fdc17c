import { mixedHash32 } from '../../wire/hash.ts';
import { checkWhole } from '../optionValue.ts';

/** What a table remembers of a key. */
export interface KeyEntry {
  /** Milliseconds, by the caller's clock. */
  readonly at: number;
  /** A number below `SENDERS` for the client that it came from; see `senderNumber`. */
  readonly sender: number;
  readonly value?: string | undefined;
}

export interface KeyTableOptions {
  /** Entries without values. A value takes as much as one for every `UNIT_CHARACTERS`. */
  max: number;
  maxAgeMs: number;
}

/** Numbers of senders; those with the same number share a part of the table. */
export const SENDERS = 4_096;
const NONE = -1;
/** The sender of a slot whose entry was removed. */
const GONE = SENDERS;
const FIRST_CAPACITY = 1_024;
/** Slots for each entry of a full table: the rest are gone, and given back all at once. */
const SLOTS_PER_ENTRY = 1.2;
/** Characters of a value that take as much of a table as an entry without one. */
export const UNIT_CHARACTERS = 32;
/** 4.6 GB. */
const MOST = 100_000_000;
/** Hexadecimal digits of a key: 16 bytes, so that two events never share one. */
export const KEY_DIGITS = 32;

/**
 * Keys of 32 hexadecimal digits, forgotten by age, and in a full table by fairness: the oldest of the sender that has most.
 * Slots are filled in the order of adding. In typed arrays, 46 bytes an entry (measured in
 * test/relay/dedupe/memory.test.ts): strings in a Map would take three times as much, and a million small objects would
 * slow down every garbage collection.
 */
export class KeyTable {
  readonly #max: number;
  readonly #maxAgeMs: number;
  // Columns: one slot per entry. 16 + 8 + 2 bytes of content, 12 of links.
  #words = new Uint32Array(0);
  #times = new Float64Array(0);
  #senders = new Uint16Array(0);
  /** The next slot in the same hash bucket. */
  #chain = new Int32Array(0);
  #newerOfSender = new Int32Array(0);
  #buckets = new Int32Array(0);
  /** By slot; empty in a table without values. */
  #values: (string | undefined)[] = [];
  readonly #oldestOf = new Int32Array(SENDERS);
  readonly #newestOf = new Int32Array(SENDERS);
  readonly #entryCost = new Float64Array(SENDERS);
  readonly #wanted = new Uint32Array(4);
  /** Slots before it are gone, those from `#used` on were never used. */
  #first = 0;
  #used = 0;
  /** What all entries take: 1 each, and more for their values. */
  #cost = 0;
  size = 0;
  /** No sender takes more. */
  #most = 0;
  /** Where the search for a sender that takes most goes on. */
  #cursor = 0;

  constructor({ max, maxAgeMs }: KeyTableOptions) {
    checkWhole('max', max, MOST);
    checkWhole('maxAgeMs', maxAgeMs);
    this.#max = max;
    this.#maxAgeMs = maxAgeMs;
    this.#rebuild();
  }

  /** Forgets what has reached its maximum age at this time. */
  expire(now: number): void {
    for (; this.#first < this.#used; this.#first++) {
      if (this.#senders[this.#first] === GONE) continue;
      if ((this.#times[this.#first] ?? 0) > now - this.#maxAgeMs) return;
      this.#remove(this.#first);
    }
  }

  has(key: string): boolean {
    return this.#find(key) !== NONE;
  }

  /** What is remembered of a key. */
  get(key: string): KeyEntry | undefined {
    const slot = this.#find(key);
    if (slot === NONE) return undefined;
    return { at: this.#times[slot] ?? 0, sender: this.#senders[slot] ?? 0, value: this.#values[slot] };
  }

  /** Adds a key, unless it is there already. Returns whether it was new. */
  add(key: string, { at, sender, value }: KeyEntry): boolean {
    if (this.#find(key) !== NONE) return false;
    const cost = entryCost(value);
    if (cost > this.#max) return true;
    while (this.#cost + cost > this.#max) this.#remove(this.#oldestOf[this.#biggest()] ?? NONE);
    if (this.#used === this.#times.length) this.#rebuild();
    const slot = this.#used++;
    this.#words.set(this.#wanted, slot * 4);
    this.#times[slot] = at;
    this.#senders[slot] = sender;
    if (value !== undefined) this.#values[slot] = value;
    this.size += 1;
    this.#cost += cost;
    this.#entryCost[sender] = (this.#entryCost[sender] ?? 0) + cost;
    this.#most = Math.max(this.#most, this.#entryCost[sender] ?? 0);
    this.#link(slot, sender);
    return true;
  }

  #find(key: string): number {
    const wanted = this.#wanted;
    readWords(key, wanted);
    let slot = this.#buckets[this.#bucketOf(wanted[0])] ?? NONE;
    while (slot !== NONE && !this.#isWanted(slot * 4)) slot = this.#chain[slot] ?? NONE;
    return slot;
  }

  #isWanted(at: number): boolean {
    const [words, wanted] = [this.#words, this.#wanted];
    // One by one: destructuring or a loop over so few is several times slower.
    return (
      words[at] === wanted[0] &&
      words[at + 1] === wanted[1] &&
      words[at + 2] === wanted[2] &&
      words[at + 3] === wanted[3]
    );
  }

  #bucketOf(word = 0): number {
    // A hash is as likely to be in one part of its range as in another; dividing would take several times as long.
    return Math.floor(word * (this.#buckets.length / 2 ** 32));
  }

  /** Puts a slot into its bucket, and at the end of its sender's. */
  #link(slot: number, sender: number): void {
    const bucket = this.#bucketOf(this.#words[slot * 4]);
    this.#chain[slot] = this.#buckets[bucket] ?? NONE;
    this.#buckets[bucket] = slot;
    const before = this.#newestOf[sender] ?? NONE;
    this.#newerOfSender[slot] = NONE;
    if (before === NONE) this.#oldestOf[sender] = slot;
    else this.#newerOfSender[before] = slot;
    this.#newestOf[sender] = slot;
  }

  /** Removes an entry that is the oldest of its sender. */
  #remove(slot: number): void {
    const [chain, buckets] = [this.#chain, this.#buckets];
    const bucket = this.#bucketOf(this.#words[slot * 4]);
    if (buckets[bucket] === slot) buckets[bucket] = chain[slot] ?? NONE;
    else {
      let before = buckets[bucket] ?? NONE;
      while (chain[before] !== slot) before = chain[before] ?? NONE;
      chain[before] = chain[slot] ?? NONE;
    }
    const sender = this.#senders[slot] ?? 0;
    this.#oldestOf[sender] = this.#newerOfSender[slot] ?? NONE;
    if (this.#oldestOf[sender] === NONE) this.#newestOf[sender] = NONE;
    const cost = entryCost(this.#values[slot]);
    this.#entryCost[sender] = (this.#entryCost[sender] ?? 0) - cost;
    this.#cost -= cost;
    this.size -= 1;
    if (slot < this.#values.length) this.#values[slot] = undefined;
    this.#senders[slot] = GONE;
  }

  /** A sender of which no other takes more. Each round without one lowers `#most` to what there is. */
  #biggest(): number {
    for (;;) {
      let seen = 0;
      for (let step = 0; step < SENDERS; step++) {
        const cost = this.#entryCost[this.#cursor] ?? 0;
        if (cost === this.#most) return this.#cursor;
        if (cost > seen) seen = cost;
        this.#cursor = (this.#cursor + 1) % SENDERS;
      }
      this.#most = seen;
    }
  }

  /** Moves all entries to the front, in their order, with room for twice as many. */
  #rebuild(): void {
    const slots = Math.ceil(this.#max * SLOTS_PER_ENTRY);
    const capacity = Math.min(slots, Math.max(FIRST_CAPACITY, this.size * 2));
    const [words, times, senders, values] = [this.#words, this.#times, this.#senders, this.#values];
    const [first, used] = [this.#first, this.#used];
    this.#words = new Uint32Array(capacity * 4);
    this.#times = new Float64Array(capacity);
    this.#senders = new Uint16Array(capacity);
    this.#values = [];
    this.#chain = new Int32Array(capacity);
    this.#newerOfSender = new Int32Array(capacity);
    this.#buckets = new Int32Array(capacity).fill(NONE);
    this.#oldestOf.fill(NONE);
    this.#newestOf.fill(NONE);
    [this.#first, this.#used] = [0, 0];
    for (let from = first; from < used; from++) {
      const sender = senders[from] ?? GONE;
      if (sender === GONE) continue;
      const slot = this.#used++;
      for (let word = 0; word < 4; word++) this.#words[slot * 4 + word] = words[from * 4 + word] ?? 0;
      this.#times[slot] = times[from] ?? 0;
      this.#senders[slot] = sender;
      if (values[from] !== undefined) this.#values[slot] = values[from];
      this.#link(slot, sender);
    }
  }
}

function entryCost(value: string | undefined): number {
  return value === undefined ? 1 : 1 + Math.ceil(value.length / UNIT_CHARACTERS);
}

/** A salt for a new table. */
export function randomSalt(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

/**
 * The number of a sender. The salt chooses which senders share one. It is secret and random: with it, anybody could pick an
 * address that shares the number of another sender, and have that one's events dropped.
 */
export function senderNumber(sender: string, salt: number): number {
  return mixedHash32(sender, salt) & (SENDERS - 1);
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
