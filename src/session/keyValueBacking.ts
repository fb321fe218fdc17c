import { openKeyValueQueue, clearKeyValueQueue } from '../queue/keyValue/openKeyValueQueue.ts';
import type { KeyValueStorage } from '../queue/keyValue/openJournals.ts';
import { hashEmail } from '../wire/offers/hashEmail.ts';
import type { Backing } from './browserBacking.ts';

/** Returns a backing on key-value storage, or on memory without one. */
export function keyValueBacking(storage: KeyValueStorage | undefined): Backing {
  const used = storage ?? inMemory();
  let clearing: Promise<unknown> | undefined;
  return {
    openQueue(options) {
      const queue = openKeyValueQueue(used, { ...options, isMemory: !storage });
      return { ...queue, withdraw: () => (clearing = Promise.all([clearing, queue.withdraw()])) };
    },
    hash: (text) => hashEmail(text).catch(() => shortHash(text)),
    // One storage is enough: it survives a crash.
    mirror: () => ({ getItem: () => null, setItem() {}, removeItem() {} }),
    forgetOrders() {},
    withdraw: (endpoint) => (clearing = Promise.all([clearing, clearKeyValueQueue(used, endpoint)])),
    remember() {},
    whenCleared: () => clearing,
    onForeignWithdrawal: () => undefined,
  };
}

function inMemory(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    getItem: (key) => values.get(key),
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}

/** Hashes to 106 bits where there is no `crypto.subtle`: enough to tell the orders of one device apart. */
function shortHash(text: string): string {
  return [0, 1].map((seed) => hash53(text, seed).toString(36)).join('-');
}

/** cyrb53, a public-domain hash. */
function hash53(text: string, seed: number): number {
  let [a, b] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2_654_435_761);
    b = Math.imul(b ^ unit, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0);
}
