import { withDeadline } from '../../http/withDeadline.ts';
import type { Refusal } from '../../wire/events/batch.ts';
import type { ResultError, WireEvent } from '../../wire/events/wireEvent.ts';
import { createDedupeMemory } from '../dedupe/createDedupeMemory.ts';
import type { DedupeClaim } from '../dedupe/dedupeStore.ts';
import { RelayError } from '../errors.ts';
import type { RelaySettings } from '../options/readOptions.ts';
import type { Reply } from '../reply.ts';
import { explain, type Telemetry } from '../telemetry.ts';
import type { Caller } from '../upstream/createUpstream.ts';

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
export function createForwardOnce(settings: RelaySettings, telemetry: Telemetry): (forward: Forward) => ForwardOnce {
  const { measure } = telemetry;
  const accepted = new AcceptedEvents(settings, telemetry);
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
        result = await forward(eventsAt(fresh, events), caller);
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
    { fresh, batch }: { fresh: readonly number[]; batch: Batch },
  ): Promise<void> {
    const { keys, fates, caller } = batch;
    const yes: number[] = [];
    const no: number[] = [];
    const lost: number[] = [];
    for (let at = 0; at < fresh.length; at++) {
      const index = fresh[at] ?? 0;
      const fate = result.fates[at];
      fates[index] = fate;
      if (fate?.state === 'accepted') yes.push(index);
      else if (result.lost.includes(at)) lost.push(index);
      else no.push(index);
    }
    if (yes.length > 0) await accepted.accept(keysAt(yes, keys), caller);
    if (no.length > 0) await accepted.release(keysAt(no, keys), caller);
    if (lost.length > 0) await accepted.lose(keysAt(lost, keys), caller);
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

/** Events whose response was lost, and failed writes, that are remembered. */
const ASIDE_MAX = 20_000;
/** Milliseconds after which a page may come back when the store failed. */
const RETRY_AFTER_MS = 5_000;

/** The store of accepted events, with what it may fail to write, and the events whose response was lost. */
class AcceptedEvents {
  readonly #settings: RelaySettings;
  readonly #telemetry: Telemetry;
  /** Accepted, but the store failed to write it: this process still knows. */
  readonly #unwritten = createDedupeMemory({ max: ASIDE_MAX });
  readonly #lost = createDedupeMemory({ max: ASIDE_MAX });

  constructor(settings: RelaySettings, telemetry: Telemetry) {
    this.#settings = settings;
    this.#telemetry = telemetry;
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
  async accept(keys: readonly string[], caller: Caller): Promise<void> {
    if (keys.length === 0) return;
    try {
      await this.#inTime(this.#settings.dedupe.accept(keys, caller.sender));
    } catch (error) {
      this.#unwritten.accept(keys, caller.sender);
      this.#noteFailure(error, caller);
    }
  }

  /** The network did not accept these. */
  async release(keys: readonly string[], caller: Caller): Promise<void> {
    if (keys.length === 0) return;
    try {
      await this.#inTime(this.#settings.dedupe.release(keys));
    } catch (error) {
      this.#noteFailure(error, caller);
    }
  }

  /** Nobody knows whether the network accepted these. */
  async lose(keys: readonly string[], caller: Caller): Promise<void> {
    if (keys.length === 0) return;
    this.#telemetry.measure({ name: 'answers_lost', value: keys.length });
    const message = "The network's response was lost; the next attempt is forwarded again.";
    this.#telemetry.log({ level: 'warn', message, request_id: caller.requestId, events: keys.length });
    this.#lost.accept(keys, caller.sender);
    await this.release(keys, caller);
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

/** Hexadecimal digits of a key: 16 bytes, so that two events never share one. */
const DIGITS = 32;

/** The key of each event for a `DedupeStore`; `undefined` for one without an id, which cannot be recognized again. */
type EventKeys = (
  events: readonly Pick<WireEvent, 'session_id' | 'event_id'>[],
) => readonly (string | undefined)[] | Promise<readonly (string | undefined)[]>;

/** Returns an `EventKeys` on SHA-256: synchronous where the runtime has `node:crypto`, on Web Crypto elsewhere. */
export function createEventKeys(): EventKeys {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto');
  if (!node) return (events) => Promise.all(keysOf(events, hashOnWebCrypto).map(async (key) => key));
  // One call is three times as fast as an object for each hash. Node has it from 20.12, other runtimes may not.
  const hash =
    typeof node.hash === 'function'
      ? (text: string) => node.hash('sha256', text, 'hex').slice(0, DIGITS)
      : (text: string) => node.createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
  return (events) => keysOf(events, hash);
}

function keysOf<Key>(events: Parameters<EventKeys>[0], hash: (text: string) => Key): readonly (Key | undefined)[] {
  let last: string | undefined;
  let prefix = '';
  return events.map(({ session_id, event_id }) => {
    if (event_id === undefined) return undefined;
    // Usually all events of a batch are of one session. Ids contain no control characters, so the separator keeps any two
    // pairs apart.
    if (session_id !== last) prefix = `${sessionKey(session_id)}\0`;
    last = session_id;
    return hash(prefix + event_id);
  });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What a session is recognized by: a UUID is the same in any letter case, another id is not. */
export function sessionKey(sessionId: string): string {
  return UUID.test(sessionId) ? sessionId.toLowerCase() : sessionId;
}

async function hashOnWebCrypto(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .slice(0, DIGITS);
}
