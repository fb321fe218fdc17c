import { BATCH_MAX_EVENTS } from '../wire/limits.ts';
import { reasonText } from '../wire/errors.ts';
import { toJson } from '../wire/json.ts';
import type { LastResponse, QueueEvent, Send, StoredEvent } from './events.ts';
import type { Rows } from './openRows.ts';
import { BACKOFF, dueTime, type EventRow, isOld, isSuspect, isWaiting, type QueueEntry } from './rows.ts';
import {
  type Backoff,
  type BatchResponse,
  FAILURE_PAUSE_MS,
  hasResults,
  LONGEST_DELAY_MS,
  remainingDelay,
  settle,
  takeBatch,
} from './settle.ts';
import { type Clock, nextTask, within } from './createPost.ts';

/** What the queue needs of the sender. */
export interface Sender {
  /** A new event is stored: sends at once for a click or a full batch, else in a moment. */
  schedule(isClick: boolean): void;
  flush(): Promise<void>;
  state(): { isPaused: boolean; nextTryAt: number | undefined; lastResponse: LastResponse | undefined };
  /** Hands over what is queued as a closing page does. Resolves when no request is in flight. */
  close(): Promise<unknown>;
  /** Sends nothing more, and calls off what is in flight. */
  stop(): void;
}

/** What the sender works with. */
interface SenderOptions {
  name: string;
  rows: Rows;
  send: Send;
  emit(event: QueueEvent): void;
  /** Knows the time as the relay has it. */
  clock: Pick<Clock, 'now'>;
  /** Milliseconds in which displays gather into one batch. */
  gatherMs?: number | undefined;
  /** Milliseconds until what earlier pages have left is sent. */
  startMs?: number | undefined;
}

/** A request that fails within so many milliseconds before the page is left may have failed because of that. */
const LEAVING_MS = 50;
/** Bytes of keepalive requests in flight: the page shares 65,536 among everybody on it. */
const KEEPALIVE_MAX_BYTES = 60 * 1024;

/** Sends what is queued, one tab at a time, and keeps what was not accepted. */
export function openSender({ name, rows, send, emit, clock, gatherMs = 250, startMs = 0 }: SenderOptions): Sender {
  let backoff: Backoff | undefined;
  let lastResponse: LastResponse | undefined;
  /** When the last request got no response; 0 if it got one. */
  let failedAt = 0;
  /** Events since the last request. */
  let fresh = 0;
  let isPaused = false;
  let isEager = false;
  /** Whether this page has swept, which also stores the consent. */
  let hasSwept = false;
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

  /** Whether a row is too old by both clocks: either may be wrong. */
  function isAged(key: string): boolean {
    return isOld(key, Math.min(Date.now(), clock.now().at));
  }

  /** Whether it may be dropped for that. What this page has written waits for the relay's time: a device's clock may be set. */
  function isExpired(key: string): boolean {
    return isAged(key) && (clock.now().isRelayTime || !rows.known.has(key));
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
      while (await runExclusively(name, sendNext));
    }));
  }

  /** Reads, sends and settles one batch. Resolves to whether the next may follow at once. */
  async function sendNext(): Promise<boolean> {
    if (isPaused || isStopped) return false;
    let { first, keys } = await rows.read();
    const others = keys.filter((key) => isAged(key) || rows.isInFlight(key));
    // They hide nothing that is due.
    if (others[0]) ({ first } = await rows.read(others.length));
    if (isStopped) return false;
    backoff = first.get(BACKOFF) as Backoff | undefined;
    const now = Date.now();
    let earliest = 0;
    const due = ([...first] as [string, EventRow][]).filter(([key, row]) => {
      if (!isWaiting(key) || isAged(key) || rows.isInFlight(key)) return false;
      const left = row.tries ? dueTime(key) - now : 0;
      // A refused row is due at its key's time, unless that was written under another clock.
      if (left <= 0 || left > LONGEST_DELAY_MS) return true;
      earliest ||= left;
      return false;
    });
    const batch = takeBatch(due, backoff);
    const ms = batch[0] ? delay(isSuspect(batch[0][0])) : earliest;
    if (batch[0] && !ms) return deliver(batch);
    if (ms) wake(ms);
    // Not before a response that may come, which may set the clock right.
    const mayExpire = !due[0] || clock.now().isRelayTime || lastResponse;
    if (mayExpire && (!hasSwept || others.some(isExpired))) {
      hasSwept = true;
      await rows.change([], isExpired);
    }
    return false;
  }

  async function deliver(batch: readonly QueueEntry[], isLeaving?: boolean): Promise<boolean> {
    const events = batch.map(([, { event }]) => event);
    // Those that have the relay's time are not corrected again.
    const sent = batch[0]?.[1].isRelayTime ? undefined : Date.now();
    const bytes = toJson(events).length;
    const keepalive = (isLeaving || !avoidsKeepalive) && bytes <= keepaliveRoom;
    if (isLeaving && !keepalive) return false;
    const wasEager = isEager;
    isEager = false;
    fresh = 0;
    rows.claim(batch);
    if (keepalive) keepaliveRoom -= bytes;
    // Batches of one handover count as one failure.
    const reading = isLeaving && rows.read();
    const response = await sendBatch(send, events, { keepalive, sent }, ended.signal);
    // The result of the request is unknown: it is sent again later, in this tab or another.
    if (ended.signal.aborted) {
      await rows.confirm(batch, []);
      return false;
    }
    if (keepalive) keepaliveRoom += bytes;
    const { status, reason } = response;
    avoidsKeepalive = keepalive && !status;
    // What others have stored must not be forgotten.
    const before = (await (reading || rows.read())).first.get(BACKOFF) as Backoff | undefined;
    const now = Date.now();
    lastResponse = { status, at: now };
    // A failed handover doesn't count, or a page that is hidden again and again would send each time.
    failedAt = status || isLeaving ? 0 : now;

    const settled = settle({ batch, isWanted: rows.isInFlight, response, before, isEager: wasEager, now });
    ({ backoff } = settled);
    await rows.confirm(batch, settled.changes);
    settled.events.forEach(emit);
    const { next } = settled;
    if (next === 'pause' && !isPaused) {
      isPaused = true;
      emit({ type: 'paused', status, reason });
    }
    return true;
  }

  function leave(): void {
    void rows.write();
    // Chromium fails requests in progress just before `pagehide`. That is no outage.
    if (
      isPaused ||
      isStopped ||
      (Date.now() - failedAt >= LEAVING_MS && backoff?.at && !backoff.isSuspects && rows.storage !== 'memory')
    )
      return;
    // Stored until a response arrives, which may be never: the relay drops duplicates.
    let rest = rows.idle().filter(([key, { tries }]) => !tries && !isSuspect(key) && !isAged(key));
    while (rest[0]) {
      const batch = takeBatch(rest);
      rest = rest.filter((row) => !batch.includes(row));
      const [before, handed] = [handedOver, deliver(batch, true)];
      handedOver = before.then(() => handed);
    }
  }

  function revive(isNewView: boolean): void {
    if (isNewView) isPaused = false;
    isEager = true;
    wake(delay());
  }

  function end(): void {
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
      if (delay() <= FAILURE_PAUSE_MS) await nextTask(delay());
      await drain();
    },
    state: () => ({ isPaused, nextTryAt: backoff?.at, lastResponse }),
    close() {
      leave();
      end();
      return Promise.all([handedOver, drained]);
    },
    // Without waiting: the lock may be another tab's for half a minute.
    stop() {
      end();
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
  const cancel = (): void => abort.abort();
  ended?.addEventListener('abort', cancel);
  const read = async (): Promise<BatchResponse> => {
    const response = await send(events, { ...how, signal: abort.signal });
    const { status } = response;
    const reason = `Status ${status}`;
    if (!('headers' in response)) return { ...response, reason };
    let body: unknown;
    if (hasResults(status)) body = await response.json().catch(() => {});
    else within(UNREAD_MS, response.text()).catch(cancel);
    return { status, body, retryAfter: response.headers.get('retry-after'), reason };
  };
  try {
    // A `fetch` of the page may not listen to the signal: its events are released all the same.
    return await within(TIMEOUT_MS, read(), abort.signal);
  } catch (error) {
    cancel();
    return { status: 0, reason: reasonText(error) };
  } finally {
    ended?.removeEventListener('abort', cancel);
  }
}

/** Follows the page's lifecycle where there is a page; `revive(true)` is a new view of it. Returns a function that ends that. */
function watchPage(leave: () => void, revive: (isNewView: boolean) => void): () => void {
  const watching = new AbortController();
  const on = (type: string, listener: (event: Event) => void): void =>
    // Captured: `visibilitychange` is the document's, and a page that stops it from bubbling does not stop us.
    globalThis.addEventListener?.(type, listener, { capture: true, signal: watching.signal });
  on('pagehide', leave);
  on('pageshow', (event) => revive((event as { persisted?: boolean }).persisted === true));
  on('online', () => revive(false));
  // With `<img name="hidden">` on a page it is left both times.
  const { document } = globalThis as unknown as { document: { hidden: unknown } | undefined };
  on('visibilitychange', () => (document?.hidden === false ? revive(false) : leave()));
  return () => watching.abort();
}

/** Milliseconds after which the holder of the lock must be frozen. Requests end after ten seconds; several may wait. */
const LOCK_MS = 30_000;

/**
 * Runs `work` while no other tab of the origin does. Never rejects unless `work` does. A frozen tab loses the lock, and then
 * resolves to undefined. Without Web Locks (pages without https, sandboxed frames, pages that have replaced them) tabs may send
 * the same events, and the relay drops duplicates.
 */
async function runExclusively<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  let isBegun = false;
  const run = (): Promise<T> => {
    isBegun = true;
    return work();
  };
  for (const isStealing of [false, true])
    try {
      // Without `timeout`, as before Chrome 103, it waits as long as it takes.
      const signal = (AbortSignal as Partial<typeof AbortSignal>).timeout?.(LOCK_MS);
      const how = (isStealing ? { steal: true } : { signal }) as LockOptions;
      // Whoever waited in vain steals it. Where the first request was refused, so is this one.
      return await navigator.locks.request(name, how, run);
    } catch {
      if (isBegun) return undefined;
    }
  return run();
}
