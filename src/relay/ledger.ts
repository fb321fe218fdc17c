import { explain, type Log } from './log.ts';
import type { Measure } from './metrics.ts';
import { RelayError } from './errors.ts';
import { createSeenMemory, type Claim, type SeenStore } from './seen.ts';

/** Which events are known, which are under way, which may have arrived without our knowing. */
export interface Ledger {
  /** What is known of each id before anything is forwarded. Throws a 503 when the store does not answer. */
  claim(ids: readonly string[], requestId: string): Promise<readonly Claim[]>;
  /** The network took these. Never throws: they are remembered here when the store fails. */
  accept(ids: readonly string[], requestId: string): Promise<void>;
  /** The network did not take these. */
  release(ids: readonly string[], requestId: string): Promise<void>;
  /** Nobody knows whether the network took these. */
  lose(ids: readonly string[], requestId: string): Promise<void>;
}

export interface LedgerOptions {
  readonly seen: SeenStore;
  /** The network drops repeats by itself, so a lost answer cannot become a duplicate. */
  readonly isNetworkIdempotent: boolean;
  readonly now: () => number;
  readonly log: Log;
  readonly measure: Measure;
}

/** Ids of lost answers and of failed writes that are remembered. */
const ASIDE_MAX = 20_000;

/** The book that the relay keeps about event ids, on top of a `SeenStore`. */
export function createLedger({ seen, isNetworkIdempotent, now, log, measure }: LedgerOptions): Ledger {
  // Accepted, but the store failed to write it down: this process still knows.
  const unwritten = createSeenMemory({ max: ASIDE_MAX, now });
  const lost = createSeenMemory({ max: ASIDE_MAX, now });

  function noteFailure(error: unknown, requestId: string): void {
    measure({ name: 'seen_failed', value: 1 });
    log({
      level: 'error',
      message: 'The store of accepted event ids failed.',
      request_id: requestId,
      error: explain(error),
    });
  }

  async function release(ids: readonly string[], requestId: string): Promise<void> {
    if (ids.length === 0) return;
    try {
      await seen.release(ids);
    } catch (error) {
      noteFailure(error, requestId);
    }
  }

  return {
    async claim(ids, requestId) {
      if (ids.length === 0) return [];
      let claims: readonly Claim[];
      try {
        claims = await seen.claim(ids);
      } catch (error) {
        noteFailure(error, requestId);
        // Forwarding without knowing would count twice; the sender keeps its events and comes back.
        throw new RelayError('The relay cannot look up which events it has seen.', {
          status: 503,
          code: 'seen_unavailable',
          retryAfterMs: 5_000,
          cause: error,
        });
      }
      const here = unwritten.size() === 0 ? [] : unwritten.claim(ids);
      const judged = ids.map((_, at) => (here[at] === 'known' ? 'known' : (claims[at] ?? 'new')));
      const wereLost = lost.size() === 0 ? [] : lost.claim(ids);
      const again = ids.filter((_, at) => judged[at] === 'new' && wereLost[at] === 'known');
      if (again.length > 0 && !isNetworkIdempotent) {
        measure({ name: 'possible_duplicates', value: again.length });
        log({
          level: 'warn',
          message: 'Events are forwarded again after a lost answer; the network may count them twice.',
          request_id: requestId,
          events: again.length,
        });
      }
      return judged;
    },
    async accept(ids, requestId) {
      if (ids.length === 0) return;
      try {
        await seen.accept(ids);
      } catch (error) {
        unwritten.accept(ids);
        noteFailure(error, requestId);
      }
    },
    release,
    async lose(ids, requestId) {
      if (ids.length === 0) return;
      measure({ name: 'answers_lost', value: ids.length });
      log({
        level: 'warn',
        message: "The network's answer was lost; the next try is forwarded again.",
        request_id: requestId,
        events: ids.length,
      });
      lost.accept(ids);
      await release(ids, requestId);
    },
  };
}
