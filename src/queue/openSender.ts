import { promisifyRequest } from 'idb-keyval';
import { BATCH_MAX_EVENTS } from '../wire/limits.ts';
import { reasonOf } from '../wire/errors.ts';
import { toJson } from '../wire/json.ts';
import { HOUR_MS } from '../wire/utcDates.ts';
import {
  type Backoff,
  type BatchResponse,
  FAILURE_PAUSE_MS,
  type QueueEntry,
  hasResults,
  isSuspect,
  keepFailures,
  remainingDelay,
  settle,
  takeBatch,
} from './settle.ts';
import type { LastAnswer, QueueEvent, Send, StoredEvent } from './events.ts';
import {
  BACKOFF,
  type EventRow,
  isIdle,
  isOld,
  isWaiting,
  keyTime,
  LEASE,
  type QueueDatabase,
  type Rows,
} from './rows.ts';
import { within } from './createPost.ts';

/** What the queue needs of the sender. */
export interface Sender {
  /** A new event is stored: sends at once for a click or a full batch, else in a moment. */
  schedule(isClick: boolean): void;
  flush(): Promise<void>;
  state(): { isPaused: boolean; nextTryAt: number | undefined; lastAnswer: LastAnswer | undefined };
  /** Hands over what is queued as a closing page does, and stops. Resolves when no request is in flight. */
  close(): Promise<unknown>;
  /** Stops at once. What is on its way is called off. */
  stop(): void;
}

/** What the sender works with. */
interface SenderOptions {
  name: string;
  rows: Rows;
  send: Send;
  emit(event: QueueEvent): void;
  /** Milliseconds in which displays gather into one batch. */
  gatherMs?: number | undefined;
  /** Milliseconds until what earlier pages have left is sent. */
  startMs?: number | undefined;
}

/** Milliseconds until we try again for a lease that another tab has. */
const BUSY_MS = 1_000;
/** A request that fails within so many milliseconds before the page is left may have failed because of that. */
const LEAVING_MS = 50;
/** Bytes of keepalive requests in flight: the page shares 65,536 among everybody on it. */
const KEEPALIVE_MAX_BYTES = 60 * 1024;

/** Sends what is queued, one tab at a time, and keeps what was not accepted. */
export function openSender({ name, rows, send, emit, gatherMs = 250, startMs = 0 }: SenderOptions): Sender {
  const { known } = rows;
  let backoff: Backoff | undefined;
  let lastAnswer: LastAnswer | undefined;
  /** When the last request got no response; 0 if it got one. */
  let failedAt = 0;
  /** Events since the last request. */
  let fresh = 0;
  /** Sizes of the next batches: the halves of one that was refused whole. */
  let sizes: number[] = [];
  let isPaused = false;
  let isEager = false;
  /** Whether events that are too old were dropped: once per page load is enough. */
  let hasSwept = false;
  /** Whether the rows of other tabs have been read. */
  let hasRead = false;
  let isStopped = false;
  /** Ends when nothing is being sent. */
  let drained: Promise<unknown> = Promise.resolve();
  /** Ends when what was sent as the page was hidden has been settled. */
  let handedOver: Promise<unknown> = drained;
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timerAt = Infinity;
  let keepaliveRoom = KEEPALIVE_MAX_BYTES;
  /** The page may have used up what keepalive allows: after a failure with it the next request goes without. */
  let avoidsKeepalive = false;

  /** Milliseconds until a request may be sent. A backoff that suspects have caused holds up suspects only. */
  function delay(isSuspects?: boolean): number {
    return remainingDelay(backoff, Date.now(), isEager || (!isSuspects && !!backoff?.isSuspects));
  }

  function wake(ms: number): void {
    const at = performance.now() + ms;
    if (at >= timerAt || isStopped) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => void drain(), ms);
  }

  function drain(): Promise<unknown> {
    timerAt = Infinity;
    return (drained = drained.then(async () => {
      let hasMore: boolean | undefined;
      do hasMore = await runExclusively(name, rows.run, sendNext);
      while (hasMore);
      if (hasMore === undefined) wake(BUSY_MS);
    }));
  }

  /** Reads, sends and settles one batch. Resolves to whether the next may follow at once. */
  async function sendNext(): Promise<boolean> {
    if (isPaused || isStopped) return false;
    const { keys, first } = await rows.read(Object.keys(backoff?.failures ?? {}).length, true);
    if (isStopped) return false;
    hasRead = true;
    backoff = first.get(BACKOFF) as Backoff | undefined;
    if (backoff?.failures) backoff.failures = keepFailures(backoff.failures, keys);
    const now = Date.now();
    let earliest = 0;
    let isHeld = false;
    const due = ([...first] as [string, EventRow][]).filter(([key, { tries }]) => {
      if (!isWaiting(key) || !isIdle(known.get(key))) return false;
      // What looks too old waits for a response, which may set the clock right.
      if (!hasSwept && isOld(key, known, now)) return !(isHeld = true);
      const left = tries ? keyTime(key) - now : 0;
      // A refused row is due at its key's time, unless that was written under another clock.
      if (left <= 0 || left > HOUR_MS) return true;
      earliest ||= left;
      return false;
    });
    if (!hasSwept && (lastAnswer || !due[0])) {
      hasSwept = true;
      await rows.change([], 'aged');
      return isHeld || !!due[0] || earliest > 0;
    }
    const batch = takeBatch(due, backoff?.failures).slice(0, sizes.shift());
    const ms = batch[0] ? delay(isSuspect(backoff?.failures, batch[0][0])) : earliest;
    if (batch[0] && !ms) return deliver(batch);
    if (ms) wake(ms);
    return false;
  }

  async function deliver(batch: readonly QueueEntry[], isLeaving?: boolean): Promise<boolean> {
    const events = batch.map(([, { event }]) => event);
    // Those that have the relay's time are not corrected again.
    const sent = batch[0]?.[1].isTrue ? undefined : Date.now();
    const bytes = toJson(events).length;
    const keepalive = (isLeaving || !avoidsKeepalive) && bytes <= keepaliveRoom;
    if (isLeaving && !keepalive) return false;
    let before = backoff;
    const wasEager = isEager;
    isEager = false;
    fresh = 0;
    for (const [key, value] of batch) {
      const row = known.get(key);
      known.set(key, { value, state: 'inFlight', before: row?.state });
    }
    if (keepalive) keepaliveRoom -= bytes;
    const response = await sendBatch(send, events, { keepalive, sent }, ended.signal);
    // The result of the request is unknown: it is sent again later, in this tab or another.
    if (ended.signal.aborted) return false;
    if (keepalive) keepaliveRoom += bytes;
    const { status, reason } = response;
    avoidsKeepalive = keepalive && !status;
    // A page that leaves at once has not read what others have stored, and must not forget it.
    if (!hasRead) before = (await rows.read()).first.get(BACKOFF) as Backoff | undefined;
    const now = Date.now();
    lastAnswer = { status, at: now };
    // A failed handover doesn't count, or a page that is hidden again and again would send each time.
    failedAt = status || isLeaving ? 0 : now;

    const isInFlight = (key: string): boolean => !isIdle(known.get(key));
    const settled = settle({ batch, isWanted: isInFlight, response, before, isEager: wasEager, now });
    ({ backoff } = settled);
    await rows.change(
      settled.changes,
      settled.events.some(({ type }) => type === 'dead_letter'),
    );
    for (const [key] of batch) {
      const row = known.get(key);
      if (row?.before) row.state = row.before;
      else known.delete(key);
    }
    settled.events.forEach(emit);
    const { next } = settled;
    if (next === 'wait') wake(delay(true));
    if (next === 'split') sizes.unshift((batch.length + 1) >> 1, batch.length >> 1);
    if (next === 'pause' && !isPaused) {
      isPaused = true;
      emit({ type: 'paused', status, reason });
    }
    return next === 'go' || next === 'split';
  }

  function leave(): void {
    void rows.write();
    // Chromium fails requests in progress just before `pagehide`. That is no outage.
    if (isPaused || (Date.now() - failedAt >= LEAVING_MS && backoff?.at && !backoff.isSuspects && !rows.isMemory()))
      return;
    // Stored until a response arrives, which may be never: the relay drops duplicates.
    const rest = [...known].flatMap(([key, row]): QueueEntry[] => {
      const value = row.value as EventRow;
      const mayGo = isWaiting(key) && isIdle(row) && !value.tries && !isSuspect(backoff?.failures, key);
      return mayGo ? [[key, value]] : [];
    });
    for (const isTrue of [true, undefined]) {
      const group = rest.filter(([, row]) => row.isTrue === isTrue);
      while (group[0]) handedOver = Promise.all([handedOver, deliver(group.splice(0, BATCH_MAX_EVENTS), true)]);
    }
  }

  function revive(isNewView: boolean): void {
    if (isNewView) isPaused = false;
    isEager = true;
    wake(delay());
  }

  function stop(): void {
    unwatch();
    clearTimeout(timer);
    isStopped = true;
  }

  const unwatch = watchPage(leave, revive);
  wake(startMs);

  return {
    schedule(isClick) {
      wake(isClick || ++fresh >= BATCH_MAX_EVENTS ? delay() : Math.max(delay(), gatherMs));
    },
    async flush() {
      revive(true);
      if (delay() <= FAILURE_PAUSE_MS) await new Promise((slept) => setTimeout(slept, delay()));
      await drain();
    },
    state: () => ({ isPaused, nextTryAt: backoff?.at, lastAnswer }),
    close() {
      leave();
      stop();
      return Promise.all([handedOver, drained]);
    },
    stop() {
      stop();
      ended.abort();
    },
  };
}

/** Milliseconds that one request may take, its body included where that is read. */
const TIMEOUT_MS = 10_000;
/** Milliseconds that a body nobody reads may take to end, so that the connection can be used again. */
const UNREAD_MS = 1_000;

/** Sends one batch and reads the response. It never takes longer than ten seconds and never rejects. `ended` aborts it. */
export async function sendBatch(
  send: Send,
  events: readonly StoredEvent[],
  how: Omit<Parameters<Send>[1], 'signal'>,
  ended?: AbortSignal,
): Promise<BatchResponse> {
  const abort = new AbortController();
  const stop = (): void => abort.abort();
  ended?.addEventListener('abort', stop);
  const read = async (): Promise<BatchResponse> => {
    const response = await send(events, { ...how, signal: abort.signal });
    const { status } = response;
    const reason = `Status ${status}`;
    if (!('headers' in response)) return { ...response, reason };
    let body: unknown;
    if (hasResults(status)) body = await response.json().catch(() => {});
    else within(UNREAD_MS, response.text()).catch(stop);
    return { status, body, retryAfter: response.headers.get('retry-after'), reason };
  };
  try {
    return await within(TIMEOUT_MS, read());
  } catch (error) {
    stop();
    return { status: 0, reason: reasonOf(error) };
  } finally {
    ended?.removeEventListener('abort', stop);
  }
}

/** Follows the page's lifecycle where there is a page; `revive(true)` is a new view of it. Returns a function that stops. */
function watchPage(leave: () => void, revive: (isNewView: boolean) => void): () => void {
  const stop = new AbortController();
  const on = (type: string, listener: (event: Event) => void): void =>
    // Captured: `visibilitychange` is the document's, and a page that stops it from bubbling does not stop us.
    globalThis.addEventListener?.(type, listener, { capture: true, signal: stop.signal });
  on('pagehide', leave);
  on('pageshow', (event) => revive((event as { persisted?: boolean }).persisted === true));
  on('online', () => revive(false));
  on('visibilitychange', () => (isHidden() ? leave() : revive(false)));
  return () => stop.abort();
}

/** Whether the page is hidden. `<img name="hidden">` shadows `document.hidden`, but not that of the prototype. */
function isHidden(): unknown {
  const { Document, document } = globalThis as unknown as {
    Document: { prototype: object };
    document: { hidden: unknown };
  };
  const { hidden } = document;
  return typeof hidden === 'boolean' ? hidden : Reflect.get(Document.prototype, 'hidden', document);
}

/** Milliseconds after which the holder of the lock must be frozen. Requests end after ten seconds; several may wait. */
const LEASE_MS = 30_000;

/**
 * Runs `work` while no other tab of the origin does; resolves to undefined when another tab held the lease. A frozen tab loses the lock.
 * Without Web Locks (older browsers, sandboxed frames) the tabs share a lease in the store.
 */
async function runExclusively<T>(
  name: string,
  run: QueueDatabase['run'],
  work: () => Promise<T>,
): Promise<T | undefined> {
  const locks = globalThis.navigator?.locks;
  if (locks) {
    return locks.request(name, { signal: AbortSignal.timeout(LEASE_MS) }, work).catch((error: unknown) => {
      if (/Timeout/.test(String(error))) return locks.request(name, { steal: true }, work);
      // A sandboxed frame has no storage either: nobody shares anything with it.
      return /Security/.test(String(error)) ? work() : undefined;
    });
  }
  const isTaken = await run('readwrite', async (rows) => {
    const left = (await promisifyRequest<number>(rows.get(LEASE))) - Date.now();
    // More than the longest lease was taken under another clock.
    const isTaken = left > 0 && left <= LEASE_MS;
    if (!isTaken) rows.put(Date.now() + LEASE_MS, LEASE);
    return isTaken;
  });
  if (isTaken) return undefined;
  const result = await work();
  await run('readwrite', (rows) => void rows.delete(LEASE));
  return result;
}
