import { RelayError } from '../errors.ts';
import { explain, type Telemetry } from '../telemetry.ts';
import type { Source } from '../upstream/createUpstream.ts';
import { withDeadline } from '../../http/withDeadline.ts';
import { createSeenMemory } from './createSeenMemory.ts';
import type { SeenClaim, SeenStore } from './seenStore.ts';

/** Which events were accepted, which are being forwarded, and which may have arrived although no response did. */
export interface Ledger {
  /** Claims events before they are forwarded. Throws a 503 when the store fails or is too slow. */
  claim(keys: readonly string[], source: Source): Promise<readonly SeenClaim[]>;
  /** The network accepted these. Never throws: they are remembered here when the store fails. */
  accept(keys: readonly string[], source: Source): Promise<void>;
  /** The network did not accept these. */
  release(keys: readonly string[], source: Source): Promise<void>;
  /** Nobody knows whether the network accepted these. */
  lose(keys: readonly string[], source: Source): Promise<void>;
}

export interface LedgerOptions {
  readonly seen: SeenStore;
  /** Milliseconds for one call of the store. */
  readonly timeoutMs: number;
  /** The network drops duplicates itself, so a lost response cannot become one. */
  readonly isNetworkIdempotent: boolean;
  readonly now: () => number;
  readonly telemetry: Telemetry;
}

/** Events whose response was lost, and failed writes, that are remembered. */
const ASIDE_MAX = 20_000;
/** Milliseconds after which a page may come back when the store failed. */
const RETRY_AFTER_MS = 5_000;

/** Returns the relay's ledger of events on top of a `SeenStore`. */
export function createLedger(options: LedgerOptions): Ledger {
  const { seen, timeoutMs, isNetworkIdempotent, now, telemetry } = options;
  const { log, measure } = telemetry;
  // Accepted, but the store failed to write it: this process still knows.
  const unwritten = createSeenMemory({ max: ASIDE_MAX, now });
  const lost = createSeenMemory({ max: ASIDE_MAX, now });

  /** The result of the store. One that hangs fails like one that throws. */
  function inTime<T>(work: T | Promise<T>): T | Promise<T> {
    // A store in memory needs no timer.
    if (!(work instanceof Promise)) return work;
    const late = (): Error => new Error(`no reply within ${timeoutMs} ms`);
    return withDeadline(work, { ms: timeoutMs, late });
  }

  function noteFailure(error: unknown, { requestId }: Source): void {
    measure({ name: 'seen_failed', value: 1 });
    log({
      level: 'error',
      message: 'The store of accepted events failed.',
      request_id: requestId,
      error: explain(error),
    });
  }

  async function release(keys: readonly string[], source: Source): Promise<void> {
    if (keys.length === 0) return;
    try {
      await inTime(seen.release(keys));
    } catch (error) {
      noteFailure(error, source);
    }
  }

  async function claimInStore(keys: readonly string[], source: Source): Promise<readonly SeenClaim[]> {
    let claiming: readonly SeenClaim[] | Promise<readonly SeenClaim[]> = [];
    try {
      claiming = seen.claim(keys);
      return await inTime(claiming);
    } catch (error) {
      noteFailure(error, source);
      // Claims that arrive too late would keep the sender's next attempt out until they expire.
      void Promise.resolve(claiming)
        .then((claims) => seen.release(keys.filter((_, at) => claims[at] === 'new')))
        .catch(() => undefined);
      // Forwarding without knowing would count twice; the sender keeps its events and comes back.
      throw new RelayError('The relay cannot look up which events it has seen. Try again later.', {
        status: 503,
        code: 'seen_unavailable',
        retryAfterMs: RETRY_AFTER_MS,
        cause: error,
      });
    }
  }

  return {
    async claim(keys, source) {
      if (keys.length === 0) return [];
      const claims = await claimInStore(keys, source);
      if (unwritten.size() === 0 && lost.size() === 0) return claims;
      const here = unwritten.size() === 0 ? [] : unwritten.claim(keys);
      const judged = keys.map((_, at) => (here[at] === 'known' ? 'known' : (claims[at] ?? 'new')));
      const wereLost = lost.size() === 0 ? [] : lost.claim(keys);
      const again = keys.filter((_, at) => judged[at] === 'new' && wereLost[at] === 'known');
      if (again.length > 0 && !isNetworkIdempotent) {
        measure({ name: 'possible_duplicates', value: again.length });
        log({
          level: 'warn',
          message: 'Events are forwarded again after a lost response; the network may count them twice.',
          request_id: source.requestId,
          events: again.length,
        });
      }
      return judged;
    },
    async accept(keys, source) {
      if (keys.length === 0) return;
      try {
        await inTime(seen.accept(keys, source.sender));
      } catch (error) {
        unwritten.accept(keys, source.sender);
        noteFailure(error, source);
      }
    },
    release,
    async lose(keys, source) {
      if (keys.length === 0) return;
      measure({ name: 'answers_lost', value: keys.length });
      log({
        level: 'warn',
        message: "The network's response was lost; the next attempt is forwarded again.",
        request_id: source.requestId,
        events: keys.length,
      });
      lost.accept(keys, source.sender);
      await release(keys, source);
    },
  };
}
