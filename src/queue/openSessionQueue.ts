import { type Core, type CoreOptions, openCore } from './openCore.ts';
import { openRows } from './openRows.ts';
import { openChannel, withdrawConsent } from './withdrawal.ts';
import { promisifyRequest as done } from 'idb-keyval';
import { committed, NOTE, type Rows } from './rows.ts';

/** Milliseconds until what earlier pages have left is sent: by then the offers of this page are usually on it. */
const START_MS = 500;

/** The queue of a session, which also stores its notes, and knows of consent. */
export interface SessionQueue extends Core {
  /** Small values stored beside the events. */
  readonly notes: Notes;
  /**
   * Withdraws consent: nothing more is written or sent, the queues and notes of this origin are emptied, other tabs are
   * notified. Resolves when nothing is left on disk.
   */
  withdraw(): Promise<unknown>;
}

/** Options of `openSessionQueue`. */
export type SessionQueueOptions = Omit<CoreOptions, 'onBack' | 'onEnd'>;

/** Opens the queue of a session, which stops when consent is withdrawn in another tab. */
export function openSessionQueue({ onWithdrawn, ...options }: SessionQueueOptions): SessionQueue {
  const core = openCore(openRows, {
    ...options,
    startMs: START_MS,
    onBack: () => notes.restore(),
    onWithdrawn() {
      end();
      onWithdrawn?.();
    },
    onEnd: () => channel?.close(),
  });
  const notes = openNotes(core.rows);
  const channel = openChannel();
  // Even after it was closed, as long as something is to be written or sent.
  channel?.addEventListener('message', core.rows.withdrawn);

  function end(): void {
    notes.forget();
    channel?.close();
  }

  return {
    ...core,
    notes,
    withdraw() {
      end();
      core.stop();
      // On the connection that is open, in this task: the page may be gone in the next.
      const cleared = core.rows.clear();
      return Promise.all([withdrawConsent(options.endpoint, true), cleared]);
    },
  };
}

/** Small values that the page stores beside the events: they survive a kill as the events do, and one purge clears all. */
export interface Notes {
  /** Resolves to the value, or to undefined if nothing is stored. Never rejects. */
  read(key: string): Promise<unknown>;
  /**
   * Replaces a value by what `change` returns for it, in one transaction; undefined removes it. Resolves when the value is
   * on disk (in memory where the browser has no storage), and never rejects. `change` may be called again with a newer value, so it must be
   * idempotent, and it must not throw.
   */
  update(key: string, change: NoteChange): Promise<void>;
  /** Removes each value that is not fresh. */
  sweep(isFresh: (value: unknown) => boolean): Promise<void>;
  /** Forgets what memory holds, before the queue is emptied. */
  forget(): void;
}

type NoteChange = (before: unknown) => unknown;

/** Notes, and what becomes of them when storage comes and goes. */
interface StoredNotes extends Notes {
  /** Writes again what a new database lacks, and what was changed while memory had to do. */
  restore(): void;
}

/** Opens the notes in the queue's own database. */
function openNotes({ run, write }: Pick<Rows, 'run' | 'write'>): StoredNotes {
  /** What this page has read or written, for when storage fails. */
  let memory = new Map<string, unknown>();
  let unsaved: [key: string, change: NoteChange][] = [];

  function remember(key: string, value: unknown): void {
    if (value === undefined) memory.delete(key);
    else memory.set(key, value);
  }

  async function update(key: string, change: NoteChange): Promise<void> {
    const copies = memory;
    // Events of the same task go first: a note that says they are counted must not survive a kill without them.
    await Promise.resolve();
    void write();
    const stored = await run('readwrite', async (rows) => {
      if (copies !== memory) return undefined;
      const name = NOTE + key;
      const value = change(await done(rows.get(name)));
      if (value === undefined) rows.delete(name);
      else rows.put(value, name);
      await committed(rows);
      return [value];
    });
    // Purged meanwhile.
    if (copies !== memory) return;
    if (!stored) unsaved.push([key, change]);
    remember(key, stored ? stored[0] : change(memory.get(key)));
  }

  return {
    update,
    async read(key) {
      const stored = await run('readonly', async (rows) => [await done<unknown>(rows.get(NOTE + key))]);
      if (stored) remember(key, stored[0]);
      return memory.get(key);
    },
    async sweep(isFresh) {
      const keys = await run('readonly', (rows) => done(rows.getAllKeys(IDBKeyRange.lowerBound(NOTE))));
      const names = keys ? (keys as string[]).map((key) => key.slice(NOTE.length)) : [...memory.keys()];
      const keepFresh: NoteChange = (value) => (isFresh(value) ? value : undefined);
      await Promise.all(names.map((name) => update(name, keepFresh)));
    },
    restore() {
      const changes = unsaved;
      unsaved = [];
      for (const [key, copy] of memory) {
        void update(key, (before) =>
          before === undefined
            ? copy
            : changes.reduce<unknown>((value, [changed, change]) => (changed === key ? change(value) : value), before),
        );
      }
    },
    forget() {
      memory = new Map();
      unsaved = [];
    },
  };
}
