import { BATCH_MAX_EVENTS, QUEUE_MAX_AGE_MS, QUEUE_MAX_REFUSALS } from '../wire/limits.ts';
import { ask } from './ask.ts';
import { afterFailure, FAILURE_PAUSE_MS, HOUR_MS, jitter, waitFor, type Trouble } from './backoff.ts';
import type { LastAnswer, QueueEvent, Send } from './events.ts';
import { judge } from './judge.ts';
import { DEAD, dueAt, keyTime } from './key.ts';
import type { Entry, Move, Rows } from './openRows.ts';
import { takeTurn } from './takeTurn.ts';
import { watchPage } from './watchPage.ts';

/** What `openQueue` asks of the sender. */
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
  const { mine, flying, settle } = rows;
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
  let room = KEEPALIVE_MAX_BYTES;
  /** The page may have used up what keepalive allows: after a failure with it the next try goes without. */
  let isShy = false;

  const wait = (): number => waitFor(trouble, Date.now(), isEager);

  function wake(ms: number): void {
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
      const hasMore = await takeTurn(name, rows.disk, once).catch(() => {});
      isAgain ||= !!hasMore;
      if (hasMore === undefined) wake(BUSY_MS);
    }
    draining = undefined;
  }

  /** One turn: read, send, settle. Tells whether the next turn may follow at once. */
  async function once(): Promise<boolean> {
    if (isPaused || isClosed) return false;
    const [entries, shared] = await rows.read();
    trouble = shared;
    const now = Date.now();
    const expired: string[] = [];
    let next = HOUR_MS;
    const due = entries.filter(([key, { tries, since = keyTime(key) }]) => {
      const age = now - since;
      const early = keyTime(key) - now;
      if (age > QUEUE_MAX_AGE_MS && age < BELIEVABLE_AGE_MS && !mine.has(key)) expired.push(key);
      // A refused row is due at its key's time, unless that was written under another clock.
      if (!tries || early <= 0 || early >= HOUR_MS) return !flying.has(key);
      next = Math.min(next, early);
      return false;
    });
    if (expired[0]) {
      await settle(expired, []);
      emit({ type: 'dropped', count: expired.length, why: 'expired' });
      return true;
    }
    if (due[0] && !wait()) return deliver(due.slice(0, sizes.shift() ?? BATCH_MAX_EVENTS));
    if (due[0]) wake(wait());
    else if (next < HOUR_MS) wake(next);
    return false;
  }

  async function deliver(batch: readonly Entry[], isLeaving?: boolean): Promise<boolean> {
    const sent = batch.map(([, { event }]) => event);
    const bytes = JSON.stringify(sent).length;
    const keepalive = !isShy && bytes <= room;
    if (isLeaving && !keepalive) return false;
    const before = isEager ? undefined : trouble;
    isEager = false;
    fresh = 0;
    for (const [key] of batch) flying.add(key);
    if (keepalive) room -= bytes;
    const { status, body, retryAfter, reason } = await ask(send, sent, keepalive);
    if (keepalive) room += bytes;
    isShy = keepalive && !status;
    const now = Date.now();
    lastAnswer = { status, at: now };

    const { fates, reasons, next } = judge(status, body, batch.length);
    const gone: string[] = [];
    const event_ids: string[] = [];
    const moved: Move[] = [];
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
    const count = gone.length;
    const kept = batch.length - count - moved.length;
    if (count) told.push({ type: 'delivered', count, event_ids });
    if (next === 'go') trouble = undefined;
    else if (next === 'split') sizes.unshift(Math.ceil(batch.length / 2), Math.floor(batch.length / 2));
    else if (next === 'wait') {
      trouble = afterFailure(before, now, retryAfter);
      if (kept) told.push({ type: 'retried', count: kept, reason, nextTryAt: trouble.at });
    } else if (!isPaused) {
      isPaused = true;
      told.push({ type: 'paused', status, reason });
    }
    await settle(gone, moved, trouble ?? null);
    for (const [key] of batch) flying.delete(key);
    delivered += count;
    told.forEach(emit);
    if (next === 'wait') wake(wait());
    return next === 'go' || next === 'split';
  }

  function leave(): void {
    void rows.write();
    // Kept until an answer is seen, which may be never: what arrives twice, the relay drops.
    const rest = [...mine].filter(([key]) => !flying.has(key));
    if (isPaused || (trouble && !rows.isMemory())) return;
    while (rest[0]) void deliver(rest.splice(0, BATCH_MAX_EVENTS), true);
  }

  function revive(isNewView: boolean): void {
    if (isNewView) isPaused = false;
    isEager = true;
    wake(wait());
  }

  const unwatch = watchPage(leave, revive);
  wake(0);

  return {
    soon(isClick) {
      wake(isClick || ++fresh >= BATCH_MAX_EVENTS ? wait() : Math.max(wait(), GATHER_MS));
    },
    async flush() {
      revive(true);
      if (wait() <= FAILURE_PAUSE_MS) await new Promise((slept) => setTimeout(slept, wait()));
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
