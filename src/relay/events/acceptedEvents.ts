import { withDeadline } from '../../http/withDeadline.ts';
import { createDedupeMemory, type DedupeMemory } from '../dedupe/createDedupeMemory.ts';
import type { DedupeClaim } from '../dedupe/dedupeStore.ts';
import { RelayError } from '../errors.ts';
import type { Counting } from '../ledger/createCounting.ts';
import type { RelaySettings } from '../options/readOptions.ts';
import { explain, type Telemetry } from '../telemetry.ts';
import type { Caller } from '../upstream/createUpstream.ts';

/** Events with the same fate, by key, and with a ledger what each counts for. */
export interface SettledEvents {
  readonly keys: readonly string[];
  /** As many as keys, or none without a ledger. */
  readonly cells: readonly string[];
}

/** Events whose response was lost, events that wait, and failed writes, that are remembered. */
const ASIDE_MAX = 20_000;
/** Milliseconds after which a page may come back when the store failed. */
const RETRY_AFTER_MS = 5_000;

/** The store of accepted events, with what it may fail to write, and the events whose fate is not known yet. */
export class AcceptedEvents {
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
