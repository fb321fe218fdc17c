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

/** Where the outcome of an event that is on its way will be found. */
interface InFlight {
  readonly outcomes: Promise<Outcomes>;
  readonly index: number;
}

type Outcomes = readonly (EventOutcome | undefined)[];

/** The events of one request while they are being forwarded. */
interface Batch {
  readonly events: readonly WireEvent[];
  /** `undefined` for an event without an id, which cannot be recognized again. */
  readonly keys: readonly (string | undefined)[];
  /** Filled as they become known. */
  readonly outcomes: (EventOutcome | undefined)[];
  readonly source: Source;
}

/**
 * Returns a function that turns each `Forward` into a `ForwardOnce`. All of them share what is in flight at this moment;
 * what was accepted is in the ledger.
 */
export function createForwardOnce({ ledger, telemetry }: ForwardOnceOptions): (forward: Forward) => ForwardOnce {
  const inFlight = new Map<string, InFlight>();
  const eventKeys = createEventKeys();

  return (forward) => async (events, source) => {
    const batch: Batch = { events, source, keys: await eventKeys(events), outcomes: events.map(() => undefined) };
    const settlement = createSettlement();
    const first: number[] = [];
    const duplicates: { index: number; of: InFlight }[] = [];
    // Nothing awaits between the look into `inFlight` and the entry into it, so two duplicates can never both be first.
    for (const [index, key] of batch.keys.entries()) {
      const of = key === undefined ? undefined : inFlight.get(key);
      if (of) duplicates.push({ index, of });
      else first.push(index);
      if (key !== undefined && !of) inFlight.set(key, { outcomes: settlement.outcomes, index });
    }
    let result: Forwarded | undefined;
    try {
      result = await forwardFirst(first, batch, forward);
      settlement.resolve(batch.outcomes);
    } catch (error) {
      settlement.reject(error);
      throw error;
    } finally {
      for (const index of first) inFlight.delete(batch.keys[index] ?? '');
    }
    for (const { index, of } of duplicates) batch.outcomes[index] = (await of.outcomes)[of.index];
    return {
      outcomes: batch.outcomes.map((outcome) => outcome ?? NO_RESULT),
      unchanged: result?.outcomes.length === events.length ? result.unchanged : undefined,
      isReflecting: result?.isReflecting ?? false,
    };
  };

  /** Forwards those events that were not accepted before. */
  async function forwardFirst(
    first: readonly number[],
    batch: Batch,
    forward: Forward,
  ): Promise<Forwarded | undefined> {
    const fresh = await claim(first, batch);
    if (fresh.length === 0) return undefined;
    const { events } = batch;
    const sent = fresh.length === events.length ? events : fresh.flatMap((index) => events[index] ?? []);
    const result = await forward(sent, batch.source);
    await record(result, { fresh, batch });
    return result;
  }

  /** Fills in what is known already, and returns what is left to be forwarded. */
  async function claim(first: readonly number[], { keys, outcomes, source }: Batch): Promise<readonly number[]> {
    const named = first.filter((index) => keys[index] !== undefined);
    const claims = await ledger.claim(keysAt(named, keys), source);
    for (const [at, index] of named.entries()) {
      if (claims[at] === 'known') outcomes[index] = KNOWN;
      if (claims[at] === 'busy') outcomes[index] = BUSY;
    }
    const fresh = first.filter((index) => outcomes[index] === undefined);
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
    for (const [at, index] of fresh.entries()) {
      const outcome = result.outcomes[at];
      outcomes[index] = outcome;
      if (outcome?.state === 'accepted') accepted.push(index);
      else if (result.lost.includes(at)) lost.push(index);
      else refused.push(index);
    }
    await ledger.accept(keysAt(accepted, keys), source);
    await ledger.release(keysAt(refused, keys), source);
    await ledger.lose(keysAt(lost, keys), source);
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

function createSettlement(): {
  outcomes: Promise<Outcomes>;
  resolve: (outcomes: Outcomes) => void;
  reject: (error: unknown) => void;
} {
  let resolve: (outcomes: Outcomes) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const outcomes = new Promise<Outcomes>((...settle) => ([resolve, reject] = settle));
  // Usually nobody waits for it.
  outcomes.catch(() => undefined);
  return { outcomes, resolve, reject };
}

function keysAt(indexes: readonly number[], keys: Batch['keys']): string[] {
  const picked: string[] = [];
  for (const index of indexes) {
    const key = keys[index];
    if (key !== undefined) picked.push(key);
  }
  return picked;
}
