import { checkWhole } from '../options/optionValue.ts';

/** What a table remembers of a key. */
export interface KeyEntry {
  /** Milliseconds, by the caller's clock. */
  readonly at: number;
  /** A number below `SENDERS` for the client that it came from; see `senderNumber`. */
  readonly sender: number;
  readonly value?: string | undefined;
}

export interface KeyTableOptions {
  max: number;
  maxAgeMs: number;
}

/** Numbers of senders; those with the same number share a part of the table. */
export const SENDERS = 4_096;
const NONE = -1;
const FIRST_CAPACITY = 1_024;
/** 4.6 GB. */
const MOST = 100_000_000;
/** Hexadecimal digits of a key: 16 bytes, so that two events never share one. */
export const KEY_DIGITS = 32;

/**
 * Keys of 32 hexadecimal digits, the oldest forgotten by age, and a full table's by fairness: the oldest of the sender that
 * has most. In typed arrays, 46 bytes an entry (measured in test/relay/dedupe/memory.test.ts): strings in a Map would take
 * three times as much, and a million small objects would slow down every garbage collection.
 */
export class KeyTable {
  readonly #max: number;
  readonly #maxAgeMs: number;
  #capacity: number;
  // Columns: one slot per entry. 16 + 8 + 2 bytes of content, 20 of links.
  #words: Uint32Array;
  #times: Float64Array;
  #senders: Uint16Array;
  /** The next slot in the same hash bucket. */
  #chain: Int32Array;
  /** The neighbours in the order of adding. */
  #older: Int32Array;
  #newer: Int32Array;
  /** The next newer slot of the same sender. */
  #newerOfSender: Int32Array;
  #buckets: Int32Array;
  /** By slot; empty in a table without values. */
  readonly #values: (string | undefined)[] = [];
  readonly #oldestOf = new Int32Array(SENDERS).fill(NONE);
  readonly #newestOf = new Int32Array(SENDERS).fill(NONE);
  readonly #countOf = new Uint32Array(SENDERS);
  readonly #wanted = new Uint32Array(4);
  #oldest = NONE;
  #newest = NONE;
  /** Slots that were used and are free again, linked by `#chain`. */
  #free = NONE;
  #used = 0;
  size = 0;
  /** No sender has more entries. */
  #most = 0;
  /** Where the search for a sender that has most goes on. */
  #cursor = 0;

  constructor({ max, maxAgeMs }: KeyTableOptions) {
    checkWhole('max', max, MOST);
    checkWhole('maxAgeMs', maxAgeMs);
    this.#max = max;
    this.#maxAgeMs = maxAgeMs;
    const capacity = (this.#capacity = Math.min(max, FIRST_CAPACITY));
    this.#words = new Uint32Array(capacity * 4);
    this.#times = new Float64Array(capacity);
    this.#senders = new Uint16Array(capacity);
    this.#chain = new Int32Array(capacity);
    this.#older = new Int32Array(capacity);
    this.#newer = new Int32Array(capacity);
    this.#newerOfSender = new Int32Array(capacity);
    this.#buckets = new Int32Array(capacity).fill(NONE);
  }

  /** Forgets what has reached its maximum age at this time. */
  expire(now: number): void {
    while (this.#oldest !== NONE && (this.#times[this.#oldest] ?? 0) <= now - this.#maxAgeMs)
      this.#remove(this.#oldest);
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

  /** Adds a key; of one that is there, changes the value only. Returns whether it was new. */
  add(key: string, { at, sender, value }: KeyEntry): boolean {
    const known = this.#find(key);
    if (known !== NONE) {
      if (value !== undefined) this.#values[known] = value;
      return false;
    }
    const slot = this.#takeSlot();
    this.#words.set(this.#wanted, slot * 4);
    this.#times[slot] = at;
    this.#senders[slot] = sender;
    if (value !== undefined) this.#values[slot] = value;
    this.#putIntoBucket(slot);

    this.#older[slot] = this.#newest;
    this.#newer[slot] = NONE;
    if (this.#newest === NONE) this.#oldest = slot;
    else this.#newer[this.#newest] = slot;
    this.#newest = slot;

    const before = this.#newestOf[sender] ?? NONE;
    this.#newerOfSender[slot] = NONE;
    if (before === NONE) this.#oldestOf[sender] = slot;
    else this.#newerOfSender[before] = slot;
    this.#newestOf[sender] = slot;
    const count = (this.#countOf[sender] ?? 0) + 1;
    this.#countOf[sender] = count;
    if (count > this.#most) this.#most = count;
    this.size += 1;
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
    return Math.floor(word * (this.#capacity / 2 ** 32));
  }

  #putIntoBucket(slot: number): void {
    const bucket = this.#bucketOf(this.#words[slot * 4]);
    this.#chain[slot] = this.#buckets[bucket] ?? NONE;
    this.#buckets[bucket] = slot;
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

    const left = this.#older[slot] ?? NONE;
    const right = this.#newer[slot] ?? NONE;
    if (left === NONE) this.#oldest = right;
    else this.#newer[left] = right;
    if (right === NONE) this.#newest = left;
    else this.#older[right] = left;

    const sender = this.#senders[slot] ?? 0;
    this.#oldestOf[sender] = this.#newerOfSender[slot] ?? NONE;
    if (this.#oldestOf[sender] === NONE) this.#newestOf[sender] = NONE;
    this.#countOf[sender] = (this.#countOf[sender] ?? 0) - 1;

    if (slot < this.#values.length) this.#values[slot] = undefined;
    chain[slot] = this.#free;
    this.#free = slot;
    this.size -= 1;
  }

  /** A sender of which no other has more. Each round without one lowers `#most` to what there is. */
  #biggest(): number {
    for (;;) {
      let seen = 0;
      for (let step = 0; step < SENDERS; step++) {
        const count = this.#countOf[this.#cursor] ?? 0;
        if (count === this.#most) return this.#cursor;
        if (count > seen) seen = count;
        this.#cursor = (this.#cursor + 1) % SENDERS;
      }
      this.#most = seen;
    }
  }

  #takeSlot(): number {
    if (this.size === this.#max) this.#remove(this.#oldestOf[this.#biggest()] ?? NONE);
    const slot = this.#free;
    if (slot !== NONE) {
      this.#free = this.#chain[slot] ?? NONE;
      return slot;
    }
    if (this.#used === this.#capacity) this.#grow();
    this.#used += 1;
    return this.#used - 1;
  }

  #grow(): void {
    const capacity = (this.#capacity = Math.min(this.#max, this.#capacity * 2));
    this.#words = enlarge(this.#words, new Uint32Array(capacity * 4));
    this.#times = enlarge(this.#times, new Float64Array(capacity));
    this.#senders = enlarge(this.#senders, new Uint16Array(capacity));
    this.#older = enlarge(this.#older, new Int32Array(capacity));
    this.#newer = enlarge(this.#newer, new Int32Array(capacity));
    this.#newerOfSender = enlarge(this.#newerOfSender, new Int32Array(capacity));
    // It grows when no slot is free, so every link in a chain belongs to an entry.
    this.#chain = new Int32Array(capacity);
    this.#buckets = new Int32Array(capacity).fill(NONE);
    for (let slot = this.#oldest; slot !== NONE; slot = this.#newer[slot] ?? NONE) this.#putIntoBucket(slot);
  }
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
  // Mixed once more at the end, as in MurmurHash3.
  let hash = hashOf(sender, salt);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return (hash ^ (hash >>> 16)) & (SENDERS - 1);
}

/** A checksum of a text (FNV-1a, 32 bits). */
export function hashOf(text: string, start = 0x81_1c_9d_c5): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01_00_01_93);
  return hash >>> 0;
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
