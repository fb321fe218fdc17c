import { withDeadline } from '../../http/withDeadline.ts';
import type { Refusal, ResultError, WireEvent } from '../../wire/events.ts';
import type { Caller } from '../readCaller.ts';
import type { DedupeClaim, DedupeStore } from '../dedupe/dedupeStore.ts';
import { eventKeys } from '../dedupe/eventKeys.ts';
import { asRelayError, errorReply, RelayError, type Reply } from '../errors.ts';
import type { Cell, Counting } from '../createCounting.ts';
import { explain, type Telemetry } from '../telemetry.ts';

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
  /** Positions that the network may have accepted: its response was lost or unclear, or was a redirect (3xx) or a server error (5xx). */
  readonly unconfirmed: readonly number[];
  /** The network's own reply, when it may be passed on unchanged. */
  readonly unchanged?: Reply | undefined;
  /** The response contained the key: it is not passed on, whatever it says of the events. */
  readonly isReflecting: boolean;
}

/** Sends events to the network in one call. Never throws. */
export type Forward = (events: readonly WireEvent[], caller: Caller) => Promise<Forwarded>;

/** The same, each event at most once at a time and never again once it was accepted. */
export type ForwardOnce = (
  events: readonly WireEvent[],
  caller: Caller,
) => Promise<
  Omit<Forwarded, 'unconfirmed'> & {
    /** The events that the network has accepted now, if the caller keeps a record of them. */
    readonly accepted: readonly WireEvent[];
  }
>;

/** What this process knows of an event, from its arrival until the store knows what became of it. */
interface EventRecord {
  /** `undefined` for an event without an id, which cannot be recognized again. */
  readonly key: string | undefined;
  /** Resolves once its fate is known, for the requests that carry a duplicate. */
  readonly settled: Promise<void>;
  fate?: EventFate | undefined;
  /** An earlier attempt may have reached the network. */
  isUnconfirmed: boolean;
  /** What the store writes once it is accepted: where it counts (without a ledger, nowhere), and who sent it. */
  cell?: string | undefined;
  sender?: string | undefined;
}

export interface ForwardOnceOptions {
  readonly store: DedupeStore;
  /** Milliseconds that the store may take for one call. */
  readonly timeoutMs: number;
  /** Whether the network itself drops a repeated event. */
  readonly hasIds: boolean;
  readonly telemetry: Telemetry;
  /** Present when the store has a ledger. */
  readonly counting: Counting | undefined;
}

/** Accepted events that the store failed to write; with more, nothing is forwarded. */
const OWED_MAX = 20_000;
/** Milliseconds after which a page may come back when the store failed. */
const RETRY_AFTER_MS = 5_000;
/** Milliseconds after which the store is told again what it failed to write. */
const OWED_MS = 1_000;

/** Returns a function that turns each `Forward` into a `ForwardOnce`. All of them share the store. */
export function createForwardOnce(
  options: ForwardOnceOptions,
): ((forward: Forward) => ForwardOnce) & { readonly owed: ReadonlySet<unknown> } {
  const { store, timeoutMs, hasIds, telemetry, counting } = options;
  const { measure, log } = telemetry;
  const records = new Map<string, EventRecord>();
  /** What the store failed to write. */
  const owed = new Set<EventRecord>();
  let isWritingOwed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const once =
    (forward: Forward): ForwardOnce =>
    async (events, caller) => {
      const keys = await eventKeys(events);
      let settle = (): void => undefined;
      const settled = new Promise<void>((resolve) => (settle = resolve));
      const own: EventRecord[] = [];
      // Nothing awaits between the look into the records and the entry into them, so two duplicates are never both first.
      const all = keys.map((key) => {
        const other = key === undefined ? undefined : records.get(key);
        if (other) return other;
        const record: EventRecord = { key, settled, isUnconfirmed: false };
        if (key !== undefined) records.set(key, record);
        own.push(record);
        return record;
      });
      let result: Forwarded | undefined;
      let accepted: readonly WireEvent[] = [];
      try {
        const fresh = await claim(own, caller);
        if (fresh.length > 0) {
          const isAll = fresh.length === all.length;
          const wanted = isAll ? events : fresh.map((record) => events[all.indexOf(record)] as WireEvent);
          // While the network is awaited. The events themselves may go.
          const cells = counting?.cellsOf(wanted);
          const kept = caller.onEvents && wanted;
          result = await forward(wanted, { ...caller, onSend: () => noteForwarded(fresh, caller, cells) });
          const { fates } = result;
          accepted = kept?.filter((_, at) => fates[at]?.state === 'accepted') ?? [];
          await record(result, { fresh, caller, cells: await cells });
        }
      } catch (error) {
        const failure = failed(error);
        for (const record of own) record.fate ??= failure;
      } finally {
        for (const record of own) if (!owed.has(record)) records.delete(recordKey(record));
        settle();
      }
      for (const record of all) if (record.settled !== settled) await record.settled;
      return {
        fates: all.map(({ fate }) => fate ?? NO_RESULT),
        unchanged: result?.fates.length === all.length ? result.unchanged : undefined,
        isReflecting: result?.isReflecting ?? false,
        accepted,
      };
    };
  return Object.assign(once, { owed });

  /** Claims events before they are forwarded, and returns those that are. Throws a 503 when the store fails. */
  async function claim(own: readonly EventRecord[], caller: Caller): Promise<readonly EventRecord[]> {
    const named = own.filter(({ key }) => key !== undefined);
    const claims = named.length === 0 ? [] : await claimInStore(named.map(recordKey), caller);
    const fates = { known: ACCEPTED, busy: BUSY, new: undefined, unconfirmed: undefined };
    for (const [at, record] of named.entries()) {
      const claim = claims[at] ?? 'new';
      record.fate = fates[claim];
      record.isUnconfirmed = claim === 'unconfirmed';
    }
    const known = own.filter(({ fate }) => fate === ACCEPTED).length;
    if (known > 0) measure({ name: 'events_known', value: known });
    return own.filter(({ fate }) => fate === undefined);
  }

  function noteForwarded(fresh: readonly EventRecord[], { requestId }: Caller, cells?: Promise<readonly Cell[]>): void {
    measure({ name: 'events_forwarded', value: fresh.length });
    const again = hasIds ? [] : fresh.filter(({ isUnconfirmed }) => isUnconfirmed);
    if (again.length === 0) return;
    measure({ name: 'possible_duplicates', value: again.length });
    void cells?.then((all) => {
      const sent = again.flatMap((one) => all[fresh.indexOf(one)]?.text ?? []);
      counting?.addInHours('possible_duplicates', sent);
    });
    const message = 'Events are forwarded again that the network may have stored; it may count them twice.';
    log({ level: 'warn', message, request_id: requestId, events: again.length });
  }

  /** Records the fates of a call before anybody gets a response. */
  async function record(
    result: Forwarded,
    { fresh, caller, cells }: { fresh: readonly EventRecord[]; caller: Caller; cells: readonly Cell[] | undefined },
  ): Promise<void> {
    const [accepted, released]: [EventRecord[], EventRecord[]] = [[], []];
    const lost: string[] = [];
    for (const [at, one] of fresh.entries()) {
      const fate = (one.fate = result.fates[at] ?? NO_RESULT);
      const cell = cells?.[at];
      one.cell = cell?.text;
      one.sender = caller.sender;
      const isAccepted = fate.state === 'accepted';
      const isFinal = fate.state === 'refused' && fate.error?.retryable === false;
      if (!isAccepted) counting?.add(`${isFinal ? 'refused' : 'deferred'}:${fate.error?.code ?? 'other'}`);
      if (isAccepted && cell !== undefined) one.cell = counting?.admit(cell, caller.sender);
      const isLost = result.unconfirmed.includes(at);
      one.isUnconfirmed = !isAccepted && !isFinal && (one.isUnconfirmed || isLost);
      if (cell !== undefined && isLost) lost.push(cell.text);
      if (one.key !== undefined) (isAccepted ? accepted : released).push(one);
      else if (isAccepted && one.cell !== undefined) counting?.addCell(one.cell);
    }
    if (lost.length > 0) counting?.addInHours('answers_lost', lost);
    if (result.unconfirmed.length > 0) {
      measure({ name: 'answers_lost', value: result.unconfirmed.length });
      const message = 'The network may have stored these events. The next attempt is forwarded again.';
      log({ level: 'warn', message, request_id: caller.requestId, events: result.unconfirmed.length });
    }
    if (accepted.length > 0) {
      if (!(await writeAccepted(accepted, caller))) writeOwedLater();
      else if (owed.size > 0) void writeOwed();
    }
    for (const how of [undefined, 'unconfirmed'] as const) {
      const keys = released.filter(({ isUnconfirmed }) => isUnconfirmed === (how !== undefined)).map(recordKey);
      try {
        if (keys.length > 0) await withDeadline(store.release(keys, how), { ms: timeoutMs });
      } catch (error) {
        noteFailure(error, caller);
      }
    }
  }

  /** Hands accepted events of one sender to the store. Returns whether it has them; otherwise they are owed. */
  async function writeAccepted(accepted: readonly EventRecord[], caller?: Caller): Promise<boolean> {
    const [keys, sender] = [accepted.map(recordKey), accepted[0]?.sender];
    const cells = accepted.flatMap(({ cell }) => cell ?? []);
    try {
      const writing = cells.length > 0 ? store.accept(keys, sender, cells) : store.accept(keys, sender);
      await withDeadline(writing, { ms: timeoutMs });
    } catch (error) {
      for (const one of accepted) owed.add(one);
      noteFailure(error, caller);
      return false;
    }
    return true;
  }

  function writeOwedLater(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void writeOwed();
    }, OWED_MS);
    (timer as { unref?: () => void }).unref?.();
  }

  /** Tells the store again what it failed to write, by time: nobody may come for hours. */
  async function writeOwed(): Promise<void> {
    if (isWritingOwed) return;
    isWritingOwed = true;
    for (const one of owed) {
      if (!(await writeAccepted([one]))) break;
      owed.delete(one);
      records.delete(recordKey(one));
    }
    isWritingOwed = false;
    if (owed.size > 0) writeOwedLater();
  }

  async function claimInStore(keys: readonly string[], caller: Caller): Promise<readonly DedupeClaim[]> {
    let claiming: readonly DedupeClaim[] | Promise<readonly DedupeClaim[]> = [];
    try {
      if (owed.size >= OWED_MAX) throw new Error(`${owed.size} accepted events could not be written`);
      claiming = store.claim(keys);
      return await withDeadline(claiming, { ms: timeoutMs });
    } catch (error) {
      noteFailure(error, caller);
      // Claims that arrive too late would keep the sender's next attempt out until they expire.
      const release = (claims: readonly DedupeClaim[], claim: 'new' | 'unconfirmed'): unknown =>
        store.release(
          keys.filter((_, at) => claims[at] === claim),
          claim === 'new' ? undefined : claim,
        );
      void Promise.resolve(claiming)
        .then((claims) => Promise.all([release(claims, 'new'), release(claims, 'unconfirmed')]))
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

  function noteFailure(error: unknown, caller: Caller | undefined): void {
    measure({ name: 'dedupe_failed', value: 1 });
    const message = 'The store of accepted events failed.';
    log({ level: 'error', message, ...(caller && { request_id: caller.requestId }), error: explain(error) });
  }
}

function recordKey({ key = '' }: EventRecord): string {
  return key;
}

/** The fate of events that were not forwarded, because the relay could not look them up. */
function failed(error: unknown): EventFate {
  const known = asRelayError(error);
  const { code, message } = known;
  return { state: 'failed', error: { code, message, retryable: true }, reply: errorReply(known) };
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
