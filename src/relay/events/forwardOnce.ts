import type { WireEvent } from '../../wire/events/wireEvent.ts';
import { withoutIds, type Forwarded } from './forward.ts';
import { createEventKeys, type EventIdentity } from '../seen/eventKeys.ts';
import type { Ledger, Source } from '../seen/createLedger.ts';
import type { Measure } from '../metrics.ts';
import type { Outcome } from './eventOutcome.ts';
import type { Reply } from '../reply.ts';

/** Takes events to the network in one call. */
export type Forward = (events: readonly object[]) => Promise<Forwarded>;

export interface Round {
  /** One for each event, in its order. */
  readonly outcomes: readonly Outcome[];
  /** The call's own reply, when every event of the round was in it. */
  readonly asIs?: Reply | undefined;
  readonly isReflecting: boolean;
}

/** Brings events to the network, each at most once at a time and never again once it was accepted. */
export type ForwardOnce = (events: readonly WireEvent[], by: { forward: Forward; source: Source }) => Promise<Round>;

/** Where an event that is on its way will have its outcome. */
interface Berth {
  readonly settled: Promise<readonly (Outcome | undefined)[]>;
  readonly index: number;
}

/** A `ForwardOnce`: what is on its way at this moment lives here, what was accepted in the ledger. */
export function createForwardOnce(options: { ledger: Ledger; keepIds: boolean; measure: Measure }): ForwardOnce {
  const { ledger, keepIds, measure } = options;
  const underWay = new Map<string, Berth>();
  const eventKeys = createEventKeys();

  return async (events, { forward, source }) => {
    const keys = await keysOf(events);
    const { promise: settled, settle, abandon } = createSettlement();
    const mine: number[] = [];
    const copies: { index: number; of: Berth }[] = [];
    // Between the look into `underWay` and the entry into it nothing awaits, so two copies can never both be first.
    for (const [index, key] of keys.entries()) {
      const of = key === undefined ? undefined : underWay.get(key);
      if (of) copies.push({ index, of });
      else mine.push(index);
      if (key !== undefined && !of) underWay.set(key, { settled, index });
    }
    const outcomes: (Outcome | undefined)[] = events.map(() => undefined);
    let result: Forwarded | undefined;
    try {
      const fresh = await claimFresh(mine, { keys, outcomes, source });
      if (fresh.length > 0) {
        const sent = fresh.length === events.length ? events : fresh.flatMap((index) => events[index] ?? []);
        result = await forward(keepIds ? sent : withoutIds(sent));
        await writeDown(result, { fresh, keys, outcomes, source });
      }
      settle(outcomes);
    } catch (error) {
      abandon(error);
      throw error;
    } finally {
      for (const index of mine) underWay.delete(keys[index] ?? '');
    }
    for (const { index, of } of copies) outcomes[index] = (await of.settled)[of.index];
    return {
      outcomes: outcomes.map((outcome) => outcome ?? FORGOTTEN),
      asIs: result?.outcomes.length === events.length ? result.asIs : undefined,
      isReflecting: result?.isReflecting ?? false,
    };
  };

  /** The key of each event; `undefined` for one without an id, which cannot be recognised again. */
  async function keysOf(events: readonly WireEvent[]): Promise<readonly (string | undefined)[]> {
    const named: EventIdentity[] = [];
    for (const { session_id, event_id } of events) if (event_id !== undefined) named.push({ session_id, event_id });
    const keys = await eventKeys(named);
    let next = 0;
    return events.map(({ event_id }) => (event_id === undefined ? undefined : keys[next++]));
  }

  /** Notes what is known already; what is left is to be forwarded. */
  async function claimFresh(mine: readonly number[], { keys, outcomes, source }: Notes): Promise<readonly number[]> {
    const named = mine.filter((index) => keys[index] !== undefined);
    const claims = await ledger.claim(keysAt(named, keys), source);
    for (const [at, index] of named.entries()) {
      if (claims[at] === 'known') outcomes[index] = KNOWN;
      if (claims[at] === 'busy') outcomes[index] = BUSY;
    }
    const fresh = mine.filter((index) => outcomes[index] === undefined);
    if (fresh.length < mine.length) measure({ name: 'events_known', value: mine.length - fresh.length });
    if (fresh.length > 0) measure({ name: 'events_forwarded', value: fresh.length });
    return fresh;
  }

  /** Notes what the call came to, and tells the ledger before anybody is answered. */
  async function writeDown(
    result: Forwarded,
    { fresh, keys, outcomes, source }: Notes & { fresh: readonly number[] },
  ): Promise<void> {
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
    if (accepted.length > 0) await ledger.accept(keysAt(accepted, keys), source);
    if (refused.length > 0) await ledger.release(keysAt(refused, keys), source);
    if (lost.length > 0) await ledger.lose(keysAt(lost, keys), source);
  }
}

interface Notes {
  readonly keys: readonly (string | undefined)[];
  readonly outcomes: (Outcome | undefined)[];
  readonly source: Source;
}

const KNOWN: Outcome = { state: 'known' };
const BUSY: Outcome = {
  state: 'refused',
  error: { code: 'in_flight', message: 'This event is on its way from another server; ask again.', retryable: true },
};
const FORGOTTEN: Outcome = {
  state: 'refused',
  error: { code: 'no_result', message: 'Nothing is known about this event; it may be sent again.', retryable: true },
};

function createSettlement(): {
  promise: Berth['settled'];
  settle: (outcomes: readonly (Outcome | undefined)[]) => void;
  abandon: (error: unknown) => void;
} {
  let settle: (outcomes: readonly (Outcome | undefined)[]) => void = () => undefined;
  let abandon: (error: unknown) => void = () => undefined;
  const promise: Berth['settled'] = new Promise((resolve, reject) => {
    settle = resolve;
    abandon = reject;
  });
  // Mostly nobody waits for it.
  promise.catch(() => undefined);
  return { promise, settle, abandon };
}

function keysAt(indexes: readonly number[], keys: readonly (string | undefined)[]): string[] {
  const picked: string[] = [];
  for (const index of indexes) {
    const key = keys[index];
    if (key !== undefined) picked.push(key);
  }
  return picked;
}
