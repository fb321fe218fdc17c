import type { WireEvent } from '../../wire/events/wireEvent.ts';
import type { Reply } from '../reply.ts';
import type { Ledger } from '../seen/createLedger.ts';
import { createEventKeys } from '../seen/eventKeys.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Source } from '../upstream/createUpstream.ts';
import type { EventOutcome, Forward, Forwarded } from './forwardEvents.ts';

/** Sends events to the network, each at most once at a time and never again once it was accepted. */
export type ForwardOnce = (events: readonly WireEvent[], source: Source) => Promise<ForwardedOnce>;

export interface ForwardedOnce {
  /** One for each event, in order. */
  readonly outcomes: readonly EventOutcome[];
  /** The network's own reply, when every event was in the call that it replies to. */
  readonly unchanged?: Reply | undefined;
  readonly isReflecting: boolean;
}

export interface ForwardOnceOptions {
  readonly ledger: Ledger;
  readonly telemetry: Telemetry;
}

/** The events of one request while they are being forwarded: not the events themselves, which many requests would hold. */
interface Batch {
  /** `undefined` for an event without an id, which cannot be recognized again. */
  readonly keys: readonly (string | undefined)[];
  /** Filled as they become known. */
  readonly outcomes: (EventOutcome | undefined)[];
  /** Resolves once `outcomes` is filled, for the requests that carry a duplicate of one of these events. */
  readonly settled: Promise<void>;
  readonly source: Source;
}

/**
 * Returns a function that turns each `Forward` into a `ForwardOnce`. All of them share what is in flight at this moment;
 * what was accepted is in the ledger.
 */
export function createForwardOnce({ ledger, telemetry }: ForwardOnceOptions): (forward: Forward) => ForwardOnce {
  /** The batch that is forwarding an event, by the event's key. */
  const inFlight = new Map<string, Batch>();
  const eventKeys = createEventKeys();

  return (forward) => async (events, source) => {
    const hashed = eventKeys(events);
    // Most awaits of this path are for stores and runtimes that need them: each costs a turn of the queue.
    const keys = hashed instanceof Promise ? await hashed : hashed;
    const { settled, settle } = createSettlement();
    const batch: Batch = { keys, outcomes: events.map(() => undefined), settled, source };
    const first: number[] = [];
    const duplicates: { index: number; of: Batch }[] = [];
    // Nothing awaits between the look into `inFlight` and the entry into it, so two duplicates can never both be first.
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index];
      const of = key === undefined ? undefined : inFlight.get(key);
      if (of) duplicates.push({ index, of });
      else first.push(index);
      if (key !== undefined && !of) inFlight.set(key, batch);
    }
    let result: Forwarded | undefined;
    try {
      const fresh = await claim(first, batch);
      if (fresh.length > 0) {
        result = await forward(eventsAt(fresh, events), source);
        await record(result, { fresh, batch });
      }
      settle();
    } catch (error) {
      settle(error);
      throw error;
    } finally {
      for (const index of first) inFlight.delete(keys[index] ?? '');
    }
    for (const { index, of } of duplicates) {
      await of.settled;
      batch.outcomes[index] = of.outcomes[of.keys.indexOf(keys[index])];
    }
    return {
      outcomes: batch.outcomes.map((outcome) => outcome ?? NO_RESULT),
      unchanged: result?.outcomes.length === keys.length ? result.unchanged : undefined,
      isReflecting: result?.isReflecting ?? false,
    };
  };

  /** Fills in the results of events already accepted, and returns what is left to forward. */
  async function claim(first: readonly number[], { keys, outcomes, source }: Batch): Promise<readonly number[]> {
    const claims = await ledger.claim(keysAt(first, keys), source);
    const fresh: number[] = [];
    let at = 0;
    for (const index of first) {
      const claimed = keys[index] === undefined ? 'new' : claims[at++];
      if (claimed === 'known') outcomes[index] = KNOWN;
      else if (claimed === 'busy') outcomes[index] = BUSY;
      else fresh.push(index);
    }
    const { measure } = telemetry;
    if (fresh.length < first.length) measure({ name: 'events_known', value: first.length - fresh.length });
    if (fresh.length > 0) measure({ name: 'events_forwarded', value: fresh.length });
    return fresh;
  }

  /** Fills in the results of the call, and updates the ledger before anybody gets a response. */
  async function record(
    result: Forwarded,
    { fresh, batch }: { fresh: readonly number[]; batch: Batch },
  ): Promise<void> {
    const { keys, outcomes, source } = batch;
    const accepted: number[] = [];
    const refused: number[] = [];
    const lost: number[] = [];
    for (let at = 0; at < fresh.length; at++) {
      const index = fresh[at] ?? 0;
      const outcome = result.outcomes[at];
      outcomes[index] = outcome;
      if (outcome?.state === 'accepted') accepted.push(index);
      else if (result.lost.includes(at)) lost.push(index);
      else refused.push(index);
    }
    if (accepted.length > 0) await ledger.accept(keysAt(accepted, keys), source);
    if (refused.length > 0) await ledger.release(keysAt(refused, keys), source);
    if (lost.length > 0) await ledger.lose(keysAt(lost, keys), source);
  }
}

const KNOWN: EventOutcome = { state: 'known' };
const BUSY: EventOutcome = {
  state: 'refused',
  error: {
    code: 'in_flight',
    message: 'Another server is forwarding this event at the moment. Try again.',
    retryable: true,
  },
};
const NO_RESULT: EventOutcome = {
  state: 'refused',
  error: { code: 'no_result', message: 'There is no result for this event. Send it again.', retryable: true },
};

/** A promise, and the function that resolves it, or rejects it with an error. */
function createSettlement(): { settled: Promise<void>; settle: (error?: unknown) => void } {
  let settle: (error?: unknown) => void = () => undefined;
  const settled = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  // Usually nobody waits for it.
  settled.catch(() => undefined);
  return { settled, settle };
}

function eventsAt(indexes: readonly number[], events: readonly WireEvent[]): readonly WireEvent[] {
  return indexes.length === events.length ? events : indexes.flatMap((index) => events[index] ?? []);
}

function keysAt(indexes: readonly number[], keys: Batch['keys']): string[] {
  const picked: string[] = [];
  for (const index of indexes) {
    const key = keys[index];
    if (key !== undefined) picked.push(key);
  }
  return picked;
}
