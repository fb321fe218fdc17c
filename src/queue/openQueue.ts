import { promisifyRequest as done } from 'idb-keyval';
import type { DeadLetter, FlushOutcome, QueueEvent, QueueStats, Send, TrackedEvent } from './events.ts';
import { DEAD, isWaiting, NOTE, rowKey } from './key.ts';
import { openNotes, type Notes } from './notes.ts';
import { openRows, type Rows } from './openRows.ts';
import { openSender } from './openSender.ts';
import { post } from './post.ts';
import { queueName } from './queueName.ts';
import { toStored } from './toStored.ts';

/** What `openQueue` is told. */
export interface QueueOptions {
  /** Where batches are posted, e.g. `/offers/events/batch`. */
  endpoint: string;
  /** Queues of one name on one origin are one queue. Named after its endpoint unless given, so that no event goes astray. */
  name?: string | undefined;
  /** Replaces the built-in POST to `endpoint`. */
  send?: Send | undefined;
  /** Told each step in an event's life. What it throws is ignored. */
  onEvent?: ((event: QueueEvent) => void) | undefined;
}

/** A queue of events that outlives the page. */
export interface Queue {
  /** Resolves when the event is on disk (in memory where the browser has no storage); rejects when it is no event. */
  track(event: TrackedEvent): Promise<void>;
  /** Sends now what may be sent now, also after a pause, and says what came of it. Retry-After is still obeyed. */
  flush(): Promise<FlushOutcome>;
  /** Empties the queue, dead letters included. */
  purge(): Promise<void>;
  stats(): Promise<QueueStats>;
  /** The events that will never be accepted, and why. */
  deadLetters(): Promise<DeadLetter[]>;
  /** Writes what is pending, hands it over as a closing page does, and stops. What is left waits for the next page. */
  close(): Promise<void>;
}

/** Opens the queue, which begins to send what earlier pages have left. */
export function openQueue(options: QueueOptions): Queue {
  return open(options)[0];
}

/** The queue of a page that shows offers. */
export interface PageQueue extends Queue {
  /** Small values stored beside the events. */
  readonly notes: Notes;
  /** Consent is withdrawn: empties the queues and notes of this origin, stops this queue, and notifies other tabs. */
  withdraw(): Promise<void>;
}

/** What the queue of a page is told besides. */
export interface PageQueueOptions extends QueueOptions {
  /** Called once when consent was withdrawn in another tab, or by another mount. The queue has stopped then. */
  onWithdrawn?(): void;
}

/** Opens the queue of a page, which keeps the page's notes as well. */
export function openPageQueue(options: PageQueueOptions): PageQueue {
  const [queue, rows] = open(options);
  const notes = openNotes(rows.disk);
  rows.whenBack = notes.restore;
  async function purge(): Promise<void> {
    notes.forget();
    await queue.purge();
  }
  return { ...queue, notes, purge, withdraw: () => purge().then(queue.close) };
}

function open({ endpoint, name = queueName(endpoint), send = post(endpoint), onEvent }: QueueOptions): [Queue, Rows] {
  const tab = Math.random().toString(36).slice(2, 6);
  let count = 0;
  const total = { delivered: 0, dropped: 0 };
  let last = 0;

  function emit(event: QueueEvent): void {
    if (event.type === 'delivered' || event.type === 'dropped') total[event.type] += event.count;
    try {
      onEvent?.(event);
    } catch {
      // The page's own mistake; it must not cost an event.
    }
  }

  const rows = openRows(name, emit);
  const sender = openSender(name, rows, send, emit);

  async function stats(): Promise<QueueStats> {
    const [keys] = await rows.look();
    const waiting = keys.filter(isWaiting).length;
    const isMemory = rows.isMemory();
    return {
      onDisk: isMemory ? 0 : waiting,
      inMemory: isMemory ? waiting : 0,
      inFlight: rows.flying.size,
      deadLetters: keys.filter((key) => key > DEAD).length,
      storage: isMemory ? 'memory' : 'indexeddb',
      ...total,
      ...sender.stats(),
    };
  }

  const queue: Queue = {
    async track(given) {
      const event = toStored(given);
      const isClick = event.event_name.endsWith('CLICK');
      last = Math.max(last + 1, Date.now());
      await rows.add(rowKey(last, isClick, tab + count++), { event });
      emit({ type: 'tracked', event });
      sender.soon(isClick);
    },
    async flush() {
      const before = total.delivered;
      await rows.write();
      await sender.flush();
      const now = await stats();
      return { ...now, delivered: now.delivered - before, kept: now.onDisk + now.inMemory };
    },
    purge: rows.purge,
    stats,
    async deadLetters() {
      const all: unknown[] = (await rows.disk('readonly', (found) =>
        done(found.getAll(IDBKeyRange.bound(DEAD, NOTE))),
      )) ?? [...rows.mine.values()];
      return (all as DeadLetter[]).filter(({ reason }) => reason);
    },
    close() {
      sender.close();
      return rows.write();
    },
  };
  return [queue, rows];
}
