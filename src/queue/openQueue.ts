import { own } from '../wire/json.ts';
import type { DeadLetter, QueueEvent, QueueStats, Send, StoredEvent, TrackedEvent } from './events.ts';
import { isClickKey, rowKey } from './key.ts';
import { DEAD, openRows } from './openRows.ts';
import { openSender, type FlushOutcome } from './openSender.ts';
import { post } from './post.ts';
import { toStored } from './toStored.ts';

/** What `openQueue` is told. */
export interface QueueOptions {
  /** Where batches are posted, e.g. `/offers/events/batch`. */
  endpoint: string;
  /** Queues of one name on one origin are one queue. */
  name?: string;
  /** Replaces the built-in POST to `endpoint`. */
  send?: Send;
  /** Told each step in an event's life. What it throws is ignored. */
  onEvent?(event: QueueEvent): void;
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
  /** The next events to be sent, at most a batch of them. */
  pending(): Promise<StoredEvent[]>;
  deadLetters(): Promise<DeadLetter[]>;
  /** Puts a dead letter back into the queue; false when there is none of that id. */
  replay(event_id: string): Promise<boolean>;
  /** Writes what is pending, hands it over as a closing page does, and stops. What is left waits for the next page. */
  close(): Promise<void>;
}

/** Opens the queue, which begins to send what earlier pages have left. */
export function openQueue({ endpoint, name = 'offerlet-queue', send = post(endpoint), onEvent }: QueueOptions): Queue {
  const tab = Math.random().toString(36).slice(2, 6).padEnd(4, '0');
  let count = 0;
  let dropped = 0;
  let isClosed = false;

  function emit(event: QueueEvent): void {
    if (event.type === 'dropped') dropped += event.count;
    try {
      onEvent?.(event);
    } catch {
      // The page's own mistake; it must not cost an event.
    }
  }

  const rows = openRows(name, {
    dropped: (count, why) => emit({ type: 'dropped', count, why }),
    error: (reason) => emit({ type: 'error', reason }),
  });
  const sender = openSender({ name, rows, send, emit });

  function newKey(event: StoredEvent): string {
    const { length: bytes } = new TextEncoder().encode(JSON.stringify(event));
    return rowKey({ time: Date.now(), tab, count: count++, isClick: event.event_name.endsWith('_CLICK'), bytes });
  }

  return {
    async track(given) {
      if (isClosed) throw new TypeError('the queue is closed');
      const event = toStored(given);
      const key = newKey(event);
      await rows.add(key, { event });
      emit({ type: 'tracked', event });
      sender.soon(isClickKey(key));
    },
    async flush() {
      await rows.write();
      return sender.flush();
    },
    purge: rows.purge,
    async stats() {
      return { ...(await rows.count()), inMemory: rows.loose.size, inFlight: rows.flying.size, storage: rows.storage, ...sender.stats(), dropped };
    },
    async pending() {
      return (await rows.read()).entries.map(([, row]) => row.event);
    },
    async deadLetters() {
      return (await rows.deadLetters()).map(([, { event, reason }]) => ({ event, reason }));
    },
    async replay(event_id) {
      const [from, letter] = (await rows.deadLetters()).find(([, { event }]) => own(event, 'event_id') === event_id) ?? [];
      if (!from || !letter) return false;
      await rows.settle({ moved: [{ from, to: from.slice(DEAD.length), row: { event: letter.event } }] });
      sender.soon(true);
      return true;
    },
    async close() {
      isClosed = true;
      sender.close();
      await rows.write();
    },
  };
}
