import { setNewest } from '../../http/setNewest.ts';
import type { Ledger } from '../ledger.ts';

/**
 * `new`: yours to forward. `unconfirmed`: yours as well, but an earlier attempt may have reached the network: it was released as
 * `unconfirmed`, or its relay died with the claim. `known`: accepted before. `busy`: another relay is forwarding it now.
 */
export type DedupeClaim = 'new' | 'unconfirmed' | 'known' | 'busy';

/**
 * Remembers which events the network accepted. An event's key is 32 hexadecimal digits, a hash of its session and its
 * exact `event_id`. One relay never claims a key twice at a time; a store that several relays share returns `busy` for
 * what another one has claimed.
 */
export interface DedupeStore {
  /** One claim for each key, in order. */
  claim(keys: readonly string[]): readonly DedupeClaim[] | Promise<readonly DedupeClaim[]>;
  /**
   * The network accepted these. `sender` is the client that they came from: an IPv4 address, the /48 network of an IPv6
   * address, or the session where no address is known. A store that runs full drops the oldest keys of the sender that
   * has most. `cells` is for a store with a ledger: what each event counts for, in order. A key that was accepted before
   * does not count again, and a store writes a key and its count together.
   */
  accept(keys: readonly string[], sender?: string, cells?: readonly string[]): void | Promise<void>;
  /** The network did not accept these, so they are new again; or nobody knows, and their next claim is `unconfirmed`. */
  release(keys: readonly string[], how?: 'unconfirmed'): void | Promise<void>;
  /** Milliseconds after which a claim of a relay that died expires: longer than the relay needs for one. */
  readonly claimMs?: number;
  /** The counts for `offerlet audit`. A store without it keeps none. */
  readonly ledger?: Ledger;
  /** Responses of the last ten minutes. A store without it leaves each relay its own. */
  readonly responses?: ResponseStore;
  /** Number of events remembered. */
  size?(): number;
  close?(): Promise<void>;
}

/** Responses for ten minutes, so that one order of one shopper is requested once. Relays share those of one Redis. */
export interface ResponseStore {
  get(key: string): string | undefined | Promise<string | undefined>;
  /** Whether this relay is the one that requests it now. */
  claim(key: string): boolean | Promise<boolean>;
  /** Stores a response, or ends a claim without one. `sender` is the client that asked, as in `DedupeStore.accept`. */
  settle(key: string, response: string | undefined, sender?: string): void | Promise<void>;
}

const UNCONFIRMED_MAX = 20_000;

/** Remembers that a key is unconfirmed. Beyond 20,000, the oldest ones are forgotten. */
export function noteUnconfirmed(keys: Map<string, true>, key: string): void {
  setNewest(keys, [key, true], { max: UNCONFIRMED_MAX });
}

/** Milliseconds that closing waits for the network's responses: a little more than the default time-out of an event. */
const SETTLE_MS = 9_000;

/** Resolves when a store knows what became of every key that it let forward: a stop must not make accepted events new. */
export async function untilSettled(held: { readonly size: number }): Promise<void> {
  for (let ms = 0; held.size > 0 && ms < SETTLE_MS; ms += 20) await new Promise((resolve) => setTimeout(resolve, 20));
}
