import { openAsk } from './ask.ts';
import { afterFailure, FAILURE_PAUSE_MS, waitFor, type Trouble } from './backoff.ts';
import type { LastAnswer, QueueEvent, Send } from './events.ts';
import { isExpired } from './isExpired.ts';
import { judge } from './judge.ts';
import { keyTime } from './key.ts';
import { applyVerdict } from './applyVerdict.ts';
import { DEAD, type Entry, type Rows } from './openRows.ts';
import { takeBatch } from './takeBatch.ts';
import { takeTurn } from './takeTurn.ts';
import { watchPage } from './watchPage.ts';

/** What a flush came to. */
export interface FlushOutcome {
  delivered: number;
  /** Events still kept, on disk or in memory. */
  kept: number;
  deadLetters: number;
  isPaused: boolean;
  nextTryAt?: number;
  lastAnswer?: LastAnswer;
}

export interface Sender {
  /** A new event is kept: sends at once for a click or a full batch, else in a moment. */
  soon(isClick: boolean): void;
  flush(): Promise<FlushOutcome>;
  stats(): { delivered: number; isPaused: boolean; nextTryAt?: number; lastAnswer?: LastAnswer };
  close(): void;
}

/** Milliseconds in which displays gather into one batch. */
const GATHER_MS = 250;
const FULL_BATCH = 20;
/** Milliseconds until we ask again for a turn that another tab has. */
const BUSY_MS = 1_000;

/** Sends what is kept, one tab at a time, and keeps what was not accepted. */
export function openSender({ name, rows, send, emit }: { name: string; rows: Rows; send: Send; emit(event: QueueEvent): void }): Sender {
  const { ask, room } = openAsk(send);
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
  let timerAt = Infinity;

  function wake(ms: number): void {
    const at = performance.now() + ms;
    if (isClosed || isPaused || at >= timerAt) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => {
      timerAt = Infinity;
      void drain();
    }, ms);
  }

  function drain(): Promise<void> {
    isAgain = true;
    return (draining ??= loop());
  }

  async function loop(): Promise<void> {
    while (isAgain) {
      isAgain = false;
      const hasMore = await takeTurn(name, rows.disk, once).catch((error: unknown) => emit({ type: 'error', reason: String(error) }));
      if (hasMore) isAgain = true;
      else if (hasMore === undefined) wake(BUSY_MS);
    }
    draining = undefined;
  }

  /** One turn: read, send, settle. Tells whether the next turn may follow at once. */
  async function once(): Promise<boolean> {
    if (isPaused || isClosed) return false;
    const { entries, ...found } = await rows.read();
    if (rows.storage === 'indexeddb') trouble = found.trouble;
    const now = Date.now();
    const gone = entries.filter(([key, row]) => isExpired(row.since ?? keyTime(key), now) && !rows.mine.has(key)).map(([key]) => key);
    if (gone.length) {
      await rows.settle({ gone });
      emit({ type: 'dropped', count: gone.length, why: 'expired' });
      return true;
    }
    // A refused row is due at its key's time, unless that was written under another clock.
    const waits = entries.filter(([, row]) => row.tries).map(([key]) => keyTime(key) - now).filter((ms) => ms > 0 && ms < 3_600_000);
    const due = entries.filter(([key, row]) => !rows.flying.has(key) && !(row.tries && waits.includes(keyTime(key) - now)));
    const wait = waitFor(trouble, now, isEager);
    if (!due.length) sizes = [];
    if (due.length && !wait) {
      const { batch, bytes } = takeBatch(due, { max: sizes.shift() });
      fresh = 0;
      return deliver(batch, bytes);
    }
    if (due.length) wake(wait);
    else if (waits.length) wake(Math.max(wait, Math.min(...waits)));
    return false;
  }

  async function deliver(batch: readonly Entry[], bytes: number): Promise<boolean> {
    for (const [key] of batch) rows.flying.add(key);
    const before = isEager ? undefined : trouble;
    isEager = false;
    const answer = await ask(batch.map(([, row]) => row.event), bytes);
    const now = Date.now();
    lastAnswer = { status: answer.status, at: now };
    const verdict = judge(answer.status, answer.body, batch.length);
    const change = applyVerdict(batch, verdict, now);
    const isFailure = verdict.next === 'wait';
    const wasTrouble = trouble;
    if (isFailure) trouble = afterFailure(before, { now, random: Math.random, retryAfter: answer.retryAfter });
    else if (verdict.next === 'go on') trouble = undefined;
    if (verdict.next === 'split') sizes.unshift(Math.ceil(batch.length / 2), Math.floor(batch.length / 2));
    await rows.settle({ ...change, trouble: trouble ?? (wasTrouble && null) });
    for (const [key] of batch) rows.flying.delete(key);

    delivered += change.gone.length;
    if (change.gone.length) emit({ type: 'delivered', count: change.gone.length, event_ids: change.event_ids });
    for (const { event, reason } of change.dead) emit({ type: 'dead_letter', event, reason });
    if (change.retried) emit({ type: 'retried', ...change.retried });
    const kept = batch.length - change.gone.length - change.moved.length;
    if (verdict.next === 'pause') {
      if (!isPaused) emit({ type: 'paused', status: answer.status, reason: answer.reason });
      isPaused = true;
      clearTimeout(timer);
      timerAt = Infinity;
    } else if (trouble && isFailure) {
      if (kept) emit({ type: 'retried', count: kept, reason: answer.reason, nextTryAt: trouble.at });
      wake(waitFor(trouble, Date.now(), false));
    }
    return !isFailure && !isPaused;
  }

  function leave(): void {
    void rows.write();
    if (isPaused) return;
    // Kept until an answer is seen, which may be never: what arrives twice, the relay drops.
    let rest = [...rows.mine].filter(
      ([key]) => key < DEAD && !rows.flying.has(key) && (!trouble || (rows.storage === 'memory' && rows.loose.has(key))),
    );
    while (rest.length) {
      const { batch, bytes } = takeBatch(rest, { maxBytes: room() });
      if (bytes > room()) return;
      rest = rest.slice(batch.length);
      void deliver(batch, bytes).then((hasMore) => hasMore && wake(GATHER_MS));
    }
  }

  function revive(isNewView: boolean): void {
    if (isNewView) isPaused = false;
    isEager = true;
    wake(waitFor(trouble, Date.now(), true));
  }

  const unwatch = watchPage({ leave, revive });
  wake(0);

  return {
    soon(isClick) {
      fresh++;
      wake(Math.max(isClick || fresh >= FULL_BATCH ? 0 : GATHER_MS, waitFor(trouble, Date.now(), isEager)));
    },
    async flush() {
      const before = delivered;
      isPaused = false;
      isEager = true;
      const wait = waitFor(trouble, Date.now(), true);
      if (wait && wait <= FAILURE_PAUSE_MS) await new Promise((done) => setTimeout(done, wait));
      await drain();
      const { onDisk, deadLetters } = await rows.count();
      return { ...this.stats(), delivered: delivered - before, kept: onDisk + rows.loose.size, deadLetters };
    },
    stats: () => ({ delivered, isPaused, nextTryAt: trouble?.at, lastAnswer }),
    close() {
      leave();
      unwatch();
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
