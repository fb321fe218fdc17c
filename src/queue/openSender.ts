import { BATCH_MAX_EVENTS, QUEUE_MAX_REFUSALS } from '../wire/limits.ts';
import { toJson } from '../wire/toJson.ts';
import { ask } from './ask.ts';
import { afterFailure, FAILURE_PAUSE_MS, HOUR_MS, jitter, waitFor, type Trouble } from './backoff.ts';
import type { LastAnswer, QueueEvent, Send } from './events.ts';
import { judge } from './judge.ts';
import { DEAD, dueAt, isWaiting, keyTime, TROUBLE } from './key.ts';
import type { Row, Rows } from './openRows.ts';
import { takeTurn } from './takeTurn.ts';
import { watchPage } from './watchPage.ts';

/** What `openQueue` asks of the sender. */
export interface Sender {
  /** A new event is kept: sends at once for a click or a full batch, else in a moment. */
  soon(isClick: boolean): void;
  flush(): Promise<void>;
  stats(): { isPaused: boolean; nextTryAt?: number | undefined; lastAnswer?: LastAnswer | undefined };
  close(): void;
}

type Entry = [key: string, row: Row];

/** Milliseconds in which displays gather into one batch. */
const GATHER_MS = 250;
/** Milliseconds until we ask again for a turn that another tab has. */
const BUSY_MS = 1_000;
/** Bytes of keepalive requests in flight: the page shares 65,536 among everybody on it. */
const KEEPALIVE_MAX_BYTES = 60 * 1024;

/** Sends what is kept, one tab at a time, and keeps what was not accepted. */
export function openSender(name: string, rows: Rows, send: Send, emit: (event: QueueEvent) => void): Sender {
  const { mine, flying, change } = rows;
  let trouble: Trouble | undefined;
  let lastAnswer: LastAnswer | undefined;
  let fresh = 0;
  /** Sizes of the next batches: the halves of one that was refused whole. */
  let sizes: number[] = [];
  let isPaused = false;
  let isEager = false;
  /** What is too old has been dropped: once a page is enough. */
  let hasSwept = false;
  let isClosed = false;
  let turns = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timerAt = Infinity;
  let room = KEEPALIVE_MAX_BYTES;
  /** The page may have used up what keepalive allows: after a failure with it the next try goes without. */
  let isShy = false;

  const wait = (): number => waitFor(trouble, Date.now(), isEager);

  function wake(ms: number): void {
    const at = performance.now() + ms;
    if (at >= timerAt) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => void drain(), ms);
  }

  function drain(): Promise<void> {
    timerAt = Infinity;
    return (turns = turns.then(async () => {
      let hasMore: boolean | undefined;
      do hasMore = await takeTurn(name, rows.disk, once);
      while (hasMore);
      if (hasMore === undefined) wake(BUSY_MS);
    }));
  }

  /** One turn: read, send, settle. Tells whether the next turn may follow at once. */
  async function once(): Promise<boolean> {
    if (isPaused || isClosed) return false;
    const [, first] = await rows.look(true);
    if (!hasSwept) {
      hasSwept = true;
      await change([], [], true);
      return true;
    }
    const now = Date.now();
    trouble = first.get(TROUBLE) as Trouble | undefined;
    let early = 0;
    const due = ([...first] as Entry[]).filter(([key, { tries }]) => {
      if (!isWaiting(key) || flying.has(key)) return false;
      const left = tries ? keyTime(key) - now : 0;
      // A refused row is due at its key's time, unless that was written under another clock.
      if (left <= 0 || left > HOUR_MS) return true;
      early ||= left;
      return false;
    });
    const ms = due[0] ? wait() : early;
    if (due[0] && !ms) return deliver(due.slice(0, sizes.shift() ?? BATCH_MAX_EVENTS));
    if (ms) wake(ms);
    return false;
  }

  async function deliver(batch: readonly Entry[], isLeaving?: boolean): Promise<boolean> {
    const events = batch.map(([, { event }]) => event);
    const bytes = toJson(events).length;
    const keepalive = !isShy && bytes <= room;
    if (isLeaving && !keepalive) return false;
    const before = isEager ? undefined : trouble;
    isEager = false;
    fresh = 0;
    for (const [key] of batch) flying.add(key);
    if (keepalive) room -= bytes;
    const { status, body, retryAfter, reason } = await ask(send, events, keepalive);
    if (keepalive) room += bytes;
    isShy = keepalive && !status;
    const now = Date.now();
    lastAnswer = { status, at: now };

    const { fates, next } = judge(status, body, batch.length);
    const gone: string[] = [];
    const put: [string, Row | Trouble][] = [];
    const event_ids: string[] = [];
    const told: QueueEvent[] = [];
    let kept = 0;
    batch.forEach(([key, { event, tries = 0 }], index) => {
      const [fate, why = reason] = fates[index] ?? [];
      // Purged meanwhile.
      if (!flying.has(key)) return;
      if (fate === 'kept') return void kept++;
      gone.push(key);
      if (fate === 'done') event_ids.push(event.event_id);
      else if (fate === 'dead' || tries + 1 >= QUEUE_MAX_REFUSALS) {
        put.push([DEAD + key, { event, reason: why }]);
        told.push({ type: 'dead_letter', event, reason: why });
      } else {
        const nextTryAt = now + jitter(1_000 * 2 ** tries);
        put.push([dueAt(key, nextTryAt), { event, tries: tries + 1 }]);
        told.push({ type: 'retried', count: 1, reason: why, nextTryAt });
      }
    });
    if (event_ids[0]) told.push({ type: 'delivered', count: event_ids.length, event_ids });
    if (next === 'wait') {
      trouble = afterFailure(before, now, retryAfter);
      put.push([TROUBLE, trouble]);
      if (kept) told.push({ type: 'retried', count: kept, reason, nextTryAt: trouble.at });
    } else {
      trouble = undefined;
      gone.push(TROUBLE);
      if (next === 'split') sizes.unshift(Math.ceil(batch.length / 2), batch.length >> 1);
      else if (next === 'pause' && !isPaused) {
        isPaused = true;
        told.push({ type: 'paused', status, reason });
      }
    }
    await change(
      gone,
      put,
      told.some(({ type }) => type === 'dead_letter'),
    );
    for (const [key] of batch) flying.delete(key);
    told.forEach(emit);
    if (next === 'wait') wake(wait());
    return next === 'go' || next === 'split';
  }

  function leave(): void {
    void rows.write();
    if (isPaused || (trouble && !rows.isMemory())) return;
    // Kept until an answer is seen, which may be never: what arrives twice, the relay drops.
    const rest = ([...mine] as Entry[]).filter(([key, { tries }]) => isWaiting(key) && !tries && !flying.has(key));
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
    stats: () => ({ isPaused, nextTryAt: trouble?.at, lastAnswer }),
    close() {
      leave();
      unwatch();
      isClosed = true;
    },
  };
}
