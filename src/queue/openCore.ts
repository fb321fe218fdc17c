import { type Clock, createPost, openClock, type RelayAccess } from './createPost.ts';
import type { QueueEvent, Send, StoredEvent, TrackedEvent } from './events.ts';
import { openDatabase } from './openDatabase.ts';
import { type ConsentRecord, openRows, type Rows, type RowsListener } from './openRows.ts';
import { openSender, type Sender } from './openSender.ts';
import { type Notes, queueName, rowKey } from './rows.ts';
import { isWithdrawn, newConsent, newId, onWithdrawal, withdrawConsent } from './withdrawal.ts';

/** Options of `openQueue`. */
export interface QueueOptions {
  /** Where batches are posted, e.g. `/offers/events/batch`. */
  endpoint: string;
  /** Queues of one name on one origin are one queue. By default it is named after its endpoint, so that no event goes astray. */
  name?: string | undefined;
  /** Replaces the built-in POST to `endpoint`. */
  send?: Send | undefined;
  /** Called with each step in an event's life. What it throws is ignored. */
  onEvent?: ((event: QueueEvent) => void) | undefined;
}

/** Options of `openCore`. */
export interface CoreOptions extends RelayAccess, QueueOptions, Pick<RowsListener, 'known'> {
  /** Called once when consent was withdrawn in another tab, or by another mount. The queue has stopped by then. */
  onWithdrawn?: (() => void) | undefined;
  /** Called when storage works again; what was in it may be missing. */
  onBack?: (() => void) | undefined;
  /** The clock of the session that the queue belongs to. */
  clock?: Clock | undefined;
  /** Milliseconds in which displays gather into one batch. */
  gatherMs?: number | undefined;
  /** Milliseconds until what earlier pages have left is sent: none by default. */
  startMs?: number | undefined;
}

/** A queue of events that its caller has checked. */
export interface Core {
  readonly rows: Rows;
  readonly sender: Sender;
  /** How many events were delivered and dropped since this page opened the queue. */
  readonly total: { delivered: number; dropped: number };
  /** Resolves when the event is on disk, or in memory where the browser has no storage. */
  track(event: TrackedEvent): Promise<void>;
  flush(): Promise<void>;
  /** Writes what is pending, and hands it over as a closing page does. */
  close(): Promise<unknown>;
  /** Closes and empties the queue in this task: nothing more is written or sent. Resolves when it is empty. */
  clear(): Promise<unknown>;
}

/** Opens where the events are stored. */
export type OpenRows = (name: string, listener: RowsListener) => Rows;

/** Opens the core of a queue, which begins to send what earlier pages have left. */
export function openCore(
  open: OpenRows,
  {
    endpoint,
    name = queueName(endpoint),
    send,
    onEvent,
    onWithdrawn,
    onBack,
    known,
    gatherMs,
    startMs,
    clock = openClock(),
    ...access
  }: CoreOptions,
): Core {
  const post = createPost({ ...access, clock });
  const tab = Math.random().toString(36).slice(2, 6);
  const total = { delivered: 0, dropped: 0 };
  let count = 0;
  let last = 0;
  let isClosed = false;

  function emit(event: QueueEvent): void {
    if (event.type === 'delivered' || event.type === 'dropped') total[event.type] += event.count;
    try {
      onEvent?.(event);
    } catch {
      // The page's own mistake; it must not cost an event.
    }
  }

  const rows = open(name, {
    emit,
    known,
    onWithdrawn() {
      sender.stop();
      // Of a queue that was closed before, only what is still to be written or sent is called off.
      if (!isClosed) onWithdrawn?.();
      isClosed = true;
    },
    onBack() {
      onBack?.();
      sender.schedule(true);
    },
  });
  const sender = openSender({
    name,
    rows,
    send:
      send ??
      ((events, { sent, ...how }) =>
        post(sent ? `${endpoint}${endpoint.includes('?') ? '&' : '?'}sent=${sent}` : endpoint, { events }, how)),
    emit,
    clock,
    gatherMs,
    startMs,
  });

  return {
    rows,
    sender,
    total,
    async track(given) {
      if (isClosed) throw Error('The queue is closed');
      const { at, isRelayTime } = clock.now();
      const event = complete(given, at);
      const isClick = event.event_name.endsWith('CLICK');
      last = Math.max(last + 1, at);
      // A time of the caller's own is by the device's clock.
      const row = isRelayTime && !given.event_datetime ? { event, isRelayTime } : { event };
      await rows.add(rowKey(last, isClick, at, tab + count++), row);
      emit({ type: 'tracked', event });
      sender.schedule(isClick);
    },
    async flush() {
      await rows.write();
      await sender.flush();
    },
    close() {
      isClosed = true;
      const sent = sender.close();
      const saved = rows.write();
      void rows.close(() => Promise.allSettled([sent, saved]));
      return saved;
    },
    clear() {
      isClosed = true;
      sender.stop();
      return rows.remove();
    },
  };
}

/** Returns the event with an id and a time; its own take precedence. */
export function complete(event: TrackedEvent, at: number): StoredEvent {
  return { event_id: newId(), event_datetime: new Date(at).toISOString(), ...event };
}

/** Opens rows in the browser's own database. Without `onWithdrawal` they notice a withdrawal when they are read or written next. */
export function openBrowserRows(
  name: string,
  listener: RowsListener,
  onWithdrawal?: ConsentRecord['onWithdrawal'],
): Rows {
  return openRows((heard) => openDatabase(name, heard), { isWithdrawn, newConsent, onWithdrawal }, listener);
}

/** The queue of a session, which knows of consent. */
export interface SessionQueue extends Core {
  /** Small values stored beside the events, where orders are stored with them. */
  readonly notes?: Notes;
  /** From now on requests go through a `fetch` that records them, unless the page has given its own. */
  record?(fetch: typeof globalThis.fetch): void;
  /**
   * Withdraws consent: nothing more is written or sent, the queues of this origin are emptied, other tabs are notified.
   * Resolves when nothing is left on disk.
   */
  withdraw(): Promise<unknown>;
}

/** Options of `openSessionQueue`. */
export type SessionQueueOptions = Omit<CoreOptions, 'onBack'>;

/** Milliseconds until what earlier pages have left is sent: by then the offers of this page are usually on it. */
const START_MS = 500;

/** Opens the queue of a session, which stops when consent is withdrawn in another tab. `open` opens its core. */
export function openSessionQueue<T extends Core>(
  options: SessionQueueOptions,
  open: (rows: OpenRows, options: CoreOptions) => T,
): T & Required<Pick<SessionQueue, 'record' | 'withdraw'>> {
  // A script that replaces the page's own later on does not see what is sent.
  let { fetch = globalThis.fetch } = options;
  const core = open((name, listener) => openBrowserRows(name, listener, onWithdrawal), {
    startMs: START_MS,
    ...options,
    fetch: (...given) => fetch(...given),
  });
  return {
    ...core,
    record(by) {
      if (!options.fetch) fetch = by;
    },
    withdraw() {
      // Both in this task, the second on the connection that is open: the page may be gone in the next.
      return Promise.all([withdrawConsent(options.endpoint, true), core.clear()]);
    },
  };
}
