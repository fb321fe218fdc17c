import type { Refusal, ResultError, WireEvent } from '../../wire/events.ts';
import { createEventKeys, createDedupeMemory, type DedupeMemory } from '../dedupe/createDedupeMemory.ts';
import type { DedupeClaim } from '../dedupe/dedupeStore.ts';
import { type Reply, RelayError } from '../errors.ts';
import type { Counting } from '../ledger/createCounting.ts';
import { withDeadline } from '../../http/withDeadline.ts';
import type { RelaySettings } from '../options/readOptions.ts';
import { explain, type Telemetry } from '../telemetry.ts';
import type { Caller } from '../createUpstream.ts';

/** What became of one event. */
export type EventFate =
  /** Now or before. */
  | { readonly state: 'accepted' }
  /** Refused by the relay or by the network. Networks need not say why. */
  | { readonly state: 'refused'; readonly error?: Refusal }
  /** The call that it was part of failed as a whole, with `reply`. */
  | { readonly state: 'failed'; readonly error: ResultError; readonly reply: Reply };

/** What became of the events of one call. */
export interface Forwarded {
  /** One for each event, in order. */
  readonly fates: readonly EventFate[];
  /** Positions whose response was lost: the network may have accepted them. */
  readonly lost: readonly number[];
  /** The network's own reply, when it may be passed on unchanged. */
  readonly unchanged?: Reply;
  /** The response contained the key: it is not passed on, whatever it says of the events. */
  readonly isReflecting: boolean;
}

/** Sends events to the network in one call. Never throws. */
export type Forward = (events: readonly WireEvent[], caller: Caller) => Promise<Forwarded>;

/** Sends events to the network, each at most once at a time and never again once it was accepted. */
export type ForwardOnce = (events: readonly WireEvent[], caller: Caller) => Promise<ForwardedOnce>;

export interface ForwardedOnce {
  /** One for each event, in order. */
  readonly fates: readonly EventFate[];
  /** The network's own reply, when every event was in the call that it replies to. */
  readonly unchanged?: Reply | undefined;
  readonly isReflecting: boolean;
}

/** The events of one request while they are being forwarded: not the events themselves, which many requests would hold. */
interface Batch {
  /** `undefined` for an event without an id, which cannot be recognized again. */
  readonly keys: readonly (string | undefined)[];
  /** Filled as they become known. */
  readonly fates: (EventFate | undefined)[];
  /** Resolves once `fates` is filled, for the requests that carry a duplicate of one of these events. */
  readonly settled: Promise<void>;
  readonly caller: Caller;
}

/**
 * Returns a function that turns each `Forward` into a `ForwardOnce`. All of them share what is in flight at this moment,
 * and the store of what was accepted.
 */
export function createForwardOnce(
  settings: RelaySettings,
  { telemetry, counting }: { telemetry: Telemetry; counting: Counting | undefined },
): (forward: Forward) => ForwardOnce {
  const { measure } = telemetry;
  const accepted = new AcceptedEvents(settings, { telemetry, counting });
  /** The batch that is forwarding an event, by the event's key. */
  const inFlight = new Map<string, Batch>();
  const eventKeys = createEventKeys();

  return (forward) => async (events, caller) => {
    const hashed = eventKeys(events);
    // Most awaits of this path are for stores and runtimes that need them: each costs a turn of the queue.
    const keys = hashed instanceof Promise ? await hashed : hashed;
    const { settled, settle } = createSettlement();
    const batch: Batch = { keys, fates: events.map(() => undefined), settled, caller };
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
        const wanted = eventsAt(fresh, events);
        // While the network is awaited. The events themselves may go.
        const counted = counting?.cellsOf(wanted);
        result = await forward(wanted, caller);
        await record(result, { fresh, batch, cells: counted instanceof Promise ? await counted : counted });
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
      batch.fates[index] = of.fates[of.keys.indexOf(keys[index])];
    }
    return {
      fates: batch.fates.map((fate) => fate ?? NO_RESULT),
      unchanged: result?.fates.length === keys.length ? result.unchanged : undefined,
      isReflecting: result?.isReflecting ?? false,
    };
  };

  /** Fills in the fates of events already accepted, and returns what is left to forward. */
  async function claim(first: readonly number[], { keys, fates, caller }: Batch): Promise<readonly number[]> {
    const claims = await accepted.claim(keysAt(first, keys), caller);
    const fresh: number[] = [];
    let at = 0;
    for (const index of first) {
      const claimed = keys[index] === undefined ? 'new' : claims[at++];
      if (claimed === 'known') fates[index] = ACCEPTED;
      else if (claimed === 'busy') fates[index] = BUSY;
      else fresh.push(index);
    }
    if (fresh.length < first.length) measure({ name: 'events_known', value: first.length - fresh.length });
    if (fresh.length > 0) measure({ name: 'events_forwarded', value: fresh.length });
    return fresh;
  }

  /** Fills in the fates of the call, and records them before anybody gets a response. */
  async function record(
    result: Forwarded,
    { fresh, batch, cells }: { fresh: readonly number[]; batch: Batch; cells: readonly string[] | undefined },
  ): Promise<void> {
    const { keys, fates, caller } = batch;
    const [yes, no, lost, refused] = [newGroup(), newGroup(), newGroup(), newGroup()];
    for (let at = 0; at < fresh.length; at++) {
      const index = fresh[at] ?? 0;
      const fate = result.fates[at];
      const [key, cell] = [keys[index], cells?.[at]];
      fates[index] = fate;
      const isFinal = fate?.state === 'refused' && fate.error?.retryable === false;
      if (isFinal) counting?.add(`refused:${fate.error?.code ?? 'other'}`);
      const group = fate?.state === 'accepted' ? yes : result.lost.includes(at) ? lost : isFinal ? refused : no;
      if (key !== undefined) {
        group.keys.push(key);
        if (cell !== undefined) group.cells.push(cell);
      } else if (group === yes && cell !== undefined) counting?.addCells([cell]);
    }
    if (yes.keys.length > 0) await accepted.accept(yes, caller);
    if (no.keys.length > 0) await accepted.release(no, { caller, isFinal: false });
    if (refused.keys.length > 0) await accepted.release(refused, { caller, isFinal: true });
    if (lost.keys.length > 0) await accepted.lose(lost, caller);
  }
}

/** The fate of an accepted event. */
export const ACCEPTED: EventFate = { state: 'accepted' };
const BUSY: EventFate = {
  state: 'refused',
  error: {
    code: 'in_flight',
    message: 'Another server is forwarding this event at the moment. Try again.',
    retryable: true,
  },
};
const NO_RESULT: EventFate = {
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

/** A group that events of the same fate are put into. */
function newGroup(): { readonly keys: string[]; readonly cells: string[] } {
  return { keys: [], cells: [] };
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

/** Events with the same fate, by key, and with a ledger what each counts for. */
interface SettledEvents {
  readonly keys: readonly string[];
  /** As many as keys, or none without a ledger. */
  readonly cells: readonly string[];
}

/** Events whose response was lost, events that wait, and failed writes, that are remembered. */
const ASIDE_MAX = 20_000;
/** Milliseconds after which a page may come back when the store failed. */
const RETRY_AFTER_MS = 5_000;

/** The store of accepted events, with what it may fail to write, and the events whose fate is not known yet. */
class AcceptedEvents {
  readonly #settings: RelaySettings;
  readonly #telemetry: Telemetry;
  readonly #counting: Counting | undefined;
  /** Accepted, but the store failed to write it: this process still knows. */
  readonly #unwritten = createDedupeMemory({ max: ASIDE_MAX });
  /** The same with what they count for, to be written once the store works again. */
  #owed: { readonly events: SettledEvents; readonly sender: string | undefined }[] = [];
  readonly #lost = createDedupeMemory({ max: ASIDE_MAX });
  readonly #waiting = createDedupeMemory({ max: ASIDE_MAX });

  constructor(
    settings: RelaySettings,
    { telemetry, counting }: { telemetry: Telemetry; counting: Counting | undefined },
  ) {
    this.#settings = settings;
    this.#telemetry = telemetry;
    this.#counting = counting;
  }

  /** Claims events before they are forwarded. Throws a 503 when the store fails or is too slow. */
  async claim(keys: readonly string[], caller: Caller): Promise<readonly DedupeClaim[]> {
    if (keys.length === 0) return [];
    const claims = await this.#claimInStore(keys, caller);
    const [unwritten, lost] = [this.#unwritten, this.#lost];
    if (unwritten.size() === 0 && lost.size() === 0) return claims;
    const here = unwritten.claim(keys);
    const judged = keys.map((_, at) => (here[at] === 'known' ? 'known' : (claims[at] ?? 'new')));
    const wereLost = lost.claim(keys);
    const again = keys.filter((_, at) => judged[at] === 'new' && wereLost[at] === 'known');
    if (again.length > 0 && !this.#settings.forwardEventIds) {
      this.#telemetry.measure({ name: 'possible_duplicates', value: again.length });
      const message = 'Events are forwarded again after a lost response; the network may count them twice.';
      this.#telemetry.log({ level: 'warn', message, request_id: caller.requestId, events: again.length });
    }
    return judged;
  }

  /** The network accepted these. Never throws: they are remembered here when the store fails. */
  async accept(events: SettledEvents, caller: Caller): Promise<void> {
    this.#countSettled(events);
    try {
      await this.#acceptInStore(events, caller.sender);
      if (this.#owed.length > 0) void this.#writeOwed(caller);
    } catch (error) {
      this.#unwritten.accept(events.keys, caller.sender);
      if (this.#owed.length < ASIDE_MAX) this.#owed.push({ events, sender: caller.sender });
      this.#noteFailure(error, caller);
    }
  }

  /** The network did not accept these. `isFinal`: it never will. */
  async release(events: SettledEvents, { caller, isFinal }: { caller: Caller; isFinal: boolean }): Promise<void> {
    if (isFinal) this.#countSettled(events);
    else this.#countOnce('waiting', this.#waiting, events);
    await this.#releaseInStore(events.keys, caller);
  }

  /** Nobody knows whether the network accepted these. */
  async lose(events: SettledEvents, caller: Caller): Promise<void> {
    const { keys } = events;
    this.#telemetry.measure({ name: 'answers_lost', value: keys.length });
    const message = "The network's response was lost; the next attempt is forwarded again.";
    this.#telemetry.log({ level: 'warn', message, request_id: caller.requestId, events: keys.length });
    this.#countOnce('answers_lost', this.#lost, events);
    this.#lost.accept(keys, caller.sender);
    await this.#releaseInStore(keys, caller);
  }

  /** Counts events that are not in a memory yet, and adds them. */
  #countOnce(name: 'answers_lost' | 'waiting', memory: DedupeMemory, { keys, cells }: SettledEvents): void {
    if (!this.#counting || cells.length === 0) return;
    const claims = memory.claim(keys);
    const fresh = cells.filter((_, at) => claims[at] === 'new');
    if (fresh.length === 0) return;
    memory.accept(keys);
    this.#counting.addInHours(name, fresh);
  }

  #countSettled({ keys, cells }: SettledEvents): void {
    if (!this.#counting || cells.length === 0) return;
    for (const [name, memory] of [
      ['answers_lost_settled', this.#lost],
      ['waiting_settled', this.#waiting],
    ] as const) {
      if (memory.size() === 0) continue;
      const claims = memory.claim(keys);
      const known = cells.filter((_, at) => claims[at] === 'known');
      if (known.length > 0) this.#counting.addInHours(name, known);
    }
  }

  async #writeOwed(caller: Caller): Promise<void> {
    const owed = this.#owed;
    this.#owed = [];
    for (const [at, { events, sender }] of owed.entries()) {
      try {
        await this.#acceptInStore(events, sender);
      } catch (error) {
        this.#owed.push(...owed.slice(at));
        this.#noteFailure(error, caller);
        return;
      }
    }
  }

  /** Not async: a store in memory costs no turn of the queue. */
  #acceptInStore({ keys, cells }: SettledEvents, sender: string | undefined): void | Promise<void> {
    const { dedupe } = this.#settings;
    return this.#inTime(cells.length > 0 ? dedupe.accept(keys, sender, cells) : dedupe.accept(keys, sender));
  }

  async #releaseInStore(keys: readonly string[], caller: Caller): Promise<void> {
    try {
      await this.#inTime(this.#settings.dedupe.release(keys));
    } catch (error) {
      this.#noteFailure(error, caller);
    }
  }

  async #claimInStore(keys: readonly string[], caller: Caller): Promise<readonly DedupeClaim[]> {
    const { dedupe } = this.#settings;
    let claiming: readonly DedupeClaim[] | Promise<readonly DedupeClaim[]> = [];
    try {
      claiming = dedupe.claim(keys);
      return await this.#inTime(claiming);
    } catch (error) {
      this.#noteFailure(error, caller);
      // Claims that arrive too late would keep the sender's next attempt out until they expire.
      void Promise.resolve(claiming)
        .then((claims) => dedupe.release(keys.filter((_, at) => claims[at] === 'new')))
        .catch(() => undefined);
      // Forwarding without knowing would count twice; the sender keeps its events and comes back.
      throw new RelayError('The relay cannot look up which events were accepted. Try again later.', {
        status: 503,
        code: 'dedupe_unavailable',
        retryAfterMs: RETRY_AFTER_MS,
        cause: error,
      });
    }
  }

  /** The result of the store. One that hangs fails like one that throws. */
  #inTime<T>(work: T | Promise<T>): T | Promise<T> {
    // A store in memory needs no timer.
    if (!(work instanceof Promise)) return work;
    const ms = this.#settings.timeouts.dedupe;
    return withDeadline(work, { ms, late: () => new Error(`no reply within ${ms} ms`) });
  }

  #noteFailure(error: unknown, { requestId }: Caller): void {
    this.#telemetry.measure({ name: 'dedupe_failed', value: 1 });
    const message = 'The store of accepted events failed.';
    this.#telemetry.log({ level: 'error', message, request_id: requestId, error: explain(error) });
  }
}
