import { BATCH_MAX_EVENTS, QUEUE_MAX_AGE_MS, QUEUE_MAX_REFUSALS } from '../wire/limits.ts';
import { ask } from './ask.ts';
import { afterFailure, FAILURE_PAUSE_MS, HOUR_MS, jitter, waitFor, type Trouble } from './backoff.ts';
import type { LastAnswer, QueueEvent, Send } from './events.ts';
import { batchSize } from './fit.ts';
import { judge } from './judge.ts';
import { dueAt, keyBytes, keyTime } from './key.ts';
import { DEAD, type Row, type Rows } from './openRows.ts';
import { takeTurn } from './takeTurn.ts';
import { watchPage } from './watchPage.ts';

export interface Sender {
  /** A new event is kept: sends at once for a click or a full batch, else in a moment. */
  soon(isClick: boolean): void;
  flush(): Promise<void>;
  stats(): { delivered: number; isPaused: boolean; nextTryAt?: number; lastAnswer?: LastAnswer };
  close(): void;
}

/** Milliseconds in which displays gather into one batch. */
const GATHER_MS = 250;
/** Milliseconds until we ask again for a turn that another tab has. */
const BUSY_MS = 1_000;
/** Bytes of keepalive requests in flight: the page shares 65,536 among everybody on it. */
const KEEPALIVE_MAX_BYTES = 60 * 1024;
/** Older than this no browser keeps anything: the clock was wrong then or is wrong now, and a wrong clock must not cost events. */
const BELIEVABLE_AGE_MS = 365 * 24 * HOUR_MS;

/** Sends what is kept, one tab at a time, and keeps what was not accepted. */
export function openSender(name: string, rows: Rows, send: Send, emit: (event: QueueEvent) => void): Sender {
  const { mine, loose, flying } = rows;
  let trouble: Trouble | undefined;
  let lastAnswer: LastAnswer | undefined;
  let delivered = 0;
  let fresh = 0;
  /** Sizes of the next batches: the halves of one that was refused whole. */
  let sizes: number[] = [];
  let isPaused = false;
  let isEager = false;
  let isClosed = false;
  let isAgain = false;
  let draining: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timerAt = 0;
  let keepaliveBytes = 0;
  /** The page may have used up what keepalive allows: after a failure with it the next try goes without. */
  let isShy = false;

  function wake(ms = waitFor(trouble, Date.now(), isEager)): void {
    const at = performance.now() + ms;
    if (timer && at >= timerAt) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => void drain(), ms);
  }

  function drain(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isAgain = true;
    return (draining ??= loop());
  }

  async function loop(): Promise<void> {
    while (isAgain) {
      isAgain = false;
      const hasMore = await takeTurn(name, rows.disk, once).catch(() => undefined);
      isAgain ||= !!hasMore;
      if (hasMore === undefined) wake(BUSY_MS);
    }
    draining = undefined;
  }

  /** One turn: read, send, settle. Tells whether the next turn may follow at once. */
  async function once(): Promise<boolean> {
    if (isPaused || isClosed) return false;
    const found = await rows.read();
    if (found.trouble !== undefined) trouble = found.trouble ?? undefined;
    const now = Date.now();
    const expired: string[] = [];
    const due: [string, Row][] = [];
    let next = Infinity;
    for (const entry of found.entries) {
      const [key, { tries, since = keyTime(key) }] = entry;
      const wait = keyTime(key) - now;
      if (now - since > QUEUE_MAX_AGE_MS && now - since < BELIEVABLE_AGE_MS && !mine.has(key)) expired.push(key);
      // A refused row is due at its key's time, unless that was written under another clock.
      else if (tries && wait > 0 && wait < HOUR_MS) next = Math.min(next, wait);
      else if (!flying.has(key)) due.push(entry);
    }
    if (expired[0]) {
      await rows.settle(expired, [], trouble);
      emit({ type: 'dropped', count: expired.length, why: 'expired' });
      return true;
    }
    if (!due[0]) {
      sizes = [];
      if (next < HOUR_MS) wake(next);
      return false;
    }
    if (waitFor(trouble, now, isEager)) {
      wake();
      return false;
    }
    fresh = 0;
    return deliver(
      due.slice(
        0,
        batchSize(
          due.map(([key]) => key),
          sizes.shift(),
        ) || 1,
      ),
    );
  }

  async function deliver(batch: readonly [string, Row][]): Promise<boolean> {
    const bytes = batch.reduce((sum, [key]) => sum + keyBytes(key) + 1, 0);
    const keepalive = !isShy && keepaliveBytes + bytes < KEEPALIVE_MAX_BYTES;
    const before = isEager ? undefined : trouble;
    isEager = false;
    for (const [key] of batch) flying.add(key);
    if (keepalive) keepaliveBytes += bytes;
    const { status, body, retryAfter, reason } = await ask(
      send,
      batch.map(([, { event }]) => event),
      keepalive,
    );
    if (keepalive) keepaliveBytes -= bytes;
    isShy = keepalive && !status;
    const now = Date.now();
    lastAnswer = { status, at: now };

    const { fates, reasons, next } = judge(status, body, batch.length);
    const gone: string[] = [];
    const event_ids: string[] = [];
    const moved: [string, string, Row][] = [];
    const told: QueueEvent[] = [];
    batch.forEach(([key, { event, tries = 0, since = keyTime(key) }], index) => {
      const fate = fates[index];
      const why = reasons[index] ?? reason;
      if (fate === 'done') {
        gone.push(key);
        event_ids.push(event.event_id);
      } else if (fate === 'dead' || (fate === 'again' && tries + 1 >= QUEUE_MAX_REFUSALS)) {
        moved.push([key, DEAD + key, { event, reason: why }]);
        told.push({ type: 'dead_letter', event, reason: why });
      } else if (fate === 'again') {
        const nextTryAt = now + jitter(1_000 * 2 ** tries);
        moved.push([key, dueAt(key, nextTryAt), { event, tries: tries + 1, since }]);
        told.push({ type: 'retried', count: 1, reason: why, nextTryAt });
      }
    });
    trouble = next === 'wait' ? afterFailure(before, now, retryAfter) : next === 'go' ? undefined : trouble;
    await rows.settle(gone, moved, trouble);
    for (const [key] of batch) flying.delete(key);

    delivered += gone.length;
    if (gone[0]) emit({ type: 'delivered', count: gone.length, event_ids });
    told.forEach(emit);
    if (next === 'split') sizes.unshift(Math.ceil(batch.length / 2), Math.floor(batch.length / 2));
    if (next === 'pause' && !isPaused) {
      isPaused = true;
      emit({ type: 'paused', status, reason });
    }
    const kept = batch.length - gone.length - moved.length;
    if (trouble && next === 'wait') {
      if (kept) emit({ type: 'retried', count: kept, reason, nextTryAt: trouble.at });
      wake();
    }
    return next === 'go' || next === 'split';
  }

  function leave(): void {
    void rows.write();
    // Kept until an answer is seen, which may be never: what arrives twice, the relay drops.
    let rest = [...mine].filter(
      ([key]) => key < DEAD && !flying.has(key) && (!trouble || (rows.storage() === 'memory' && loose.has(key))),
    );
    while (rest[0] && !isPaused) {
      const size = batchSize(
        rest.map(([key]) => key),
        BATCH_MAX_EVENTS,
        KEEPALIVE_MAX_BYTES - keepaliveBytes,
      );
      if (!size) return;
      void deliver(rest.slice(0, size));
      rest = rest.slice(size);
    }
  }

  function revive(isNewView: boolean): void {
    if (isNewView) isPaused = false;
    isEager = true;
    wake();
  }

  const unwatch = watchPage(leave, revive);
  wake();

  return {
    soon(isClick) {
      wake(Math.max(isClick || ++fresh >= BATCH_MAX_EVENTS ? 0 : GATHER_MS, waitFor(trouble, Date.now(), isEager)));
    },
    async flush() {
      revive(true);
      const wait = waitFor(trouble, Date.now(), true);
      if (wait <= FAILURE_PAUSE_MS) await new Promise((done) => setTimeout(done, wait));
      await drain();
    },
    stats: () => ({ delivered, isPaused, nextTryAt: trouble?.at, lastAnswer }),
    close() {
      leave();
      unwatch();
      isClosed = true;
    },
  };
}
