import { own } from '../../wire/json.ts';
import { within } from '../createPost.ts';
import {
  BACKOFF,
  DEAD,
  findDrops,
  HANGING_MS,
  isOwn,
  isWaiting,
  QUEUE_GROWN,
  type Rows,
  type RowsListener,
} from '../rows.ts';
import { openJournals, type Journal, type KeyValueStorage } from './openJournals.ts';
import { reasonOf } from '../../wire/errors.ts';

/** Options of `openKeyValueRows`. */
interface KeyValueRowsOptions {
  readonly storage: KeyValueStorage;
  readonly name: string;
  /** The storage is memory: what is in it does not survive. */
  readonly isMemory?: boolean | undefined;
  /** Ends when what is stored has been cleared: until then nothing is read or written. */
  readonly cleared?: Promise<unknown> | undefined;
  readonly listener: RowsListener;
}

/** Rows in key-value storage. */
export interface KeyValueRows extends Rows {
  /** Whether another session has cleared the storage, as a withdrawal of consent does: then the rows have stopped. */
  isCleared(): Promise<boolean>;
}

/** Opens the rows of a queue in key-value storage. All of them are in memory as well. */
export function openKeyValueRows({
  storage,
  name,
  isMemory: isVolatile,
  cleared,
  listener,
}: KeyValueRowsOptions): KeyValueRows {
  const { now, emit, onWithdrawn, onBack } = listener;
  const known: Rows['known'] = new Map();
  const journals = openJournals(storage, name);
  /** The rows of this session's journal. */
  const mine = new Map<string, unknown>();
  /** The rows of other journals that are not settled yet. */
  const others = new Map<string, unknown>();
  /** The keys of all rows in other journals, and those that this session has settled. */
  const elsewhere = new Set<string>();
  const settled = new Set<string>();
  let isMemory = false;
  let isStopped = false;
  let isDirty = false;
  /** Storage did not respond in time, and has not since. */
  let isHanging = false;
  /** The write that is going on, which never rejects, and the one that follows. */
  let writing: Promise<unknown> = Promise.resolve(cleared);
  let next: Promise<void> | undefined;
  const loaded = load().catch(broken);

  function broken(error: unknown): void {
    if (!isMemory && !isStopped) emit({ type: 'error', reason: `Events are kept in memory: ${reasonOf(error)}` });
    isMemory = true;
  }

  /** Waits for storage, unless it hangs already. */
  async function waitFor(work: Promise<unknown>): Promise<void> {
    if (isHanging) return;
    await within(HANGING_MS, work).catch((error: unknown) => {
      isHanging = true;
      broken(error);
    });
  }

  function back(): void {
    isHanging = false;
    if (isMemory && !isStopped) {
      isMemory = false;
      emit({ type: 'error', reason: 'Storage is back: events are written again' });
      onBack();
    }
  }

  async function load(): Promise<void> {
    await cleared;
    // From now on a withdrawal by another session is noticed, even if this one has not stored anything yet.
    await journals.claim();
    const { live, left, removeLeft } = await journals.find();
    if (isStopped) return;
    const all = [...live, ...left].sort((a, b) => b.at - a.at);
    const settledElsewhere = new Set(all.flatMap((journal) => journal.settled));
    for (const key of live.flatMap(({ rows }) => Object.keys(rows))) elsewhere.add(key);
    for (const [key, row] of rowsOf(live)) if (!settledElsewhere.has(key)) others.set(key, row);
    for (const [key, row] of rowsOf(left)) if (!settledElsewhere.has(key) && !elsewhere.has(key)) put(key, row);
    for (const key of settledElsewhere) if (elsewhere.has(key)) settled.add(key);
    const backoff = own(all[0]?.rows, BACKOFF);
    if (backoff && !mine.has(BACKOFF)) put(BACKOFF, backoff);
    await persist();
    if (!isMemory) await removeLeft();
    if (isHanging) back();
  }

  function put(key: string, value: unknown): void {
    isDirty = true;
    mine.set(key, value);
  }

  function remove(key: string): void {
    const isMine = mine.delete(key);
    const isOthers = others.delete(key);
    if (elsewhere.has(key)) settled.add(key);
    isDirty ||= isMine || isOthers;
  }

  function drop(time?: number): void {
    for (const [why, keys] of findDrops([...mine.keys(), ...others.keys()].sort(), known, time)) {
      for (const key of keys) {
        known.delete(key);
        remove(key);
      }
      if (keys[0]) emit({ type: 'dropped', count: keys.length, reason: why });
    }
  }

  /** Resolves once everything so far is in storage, or storage has failed or is too slow to wait for. */
  async function persist(): Promise<void> {
    if (isDirty) next ??= writing.then(() => (writing = save()));
    await waitFor(next ?? writing);
  }

  async function save(): Promise<void> {
    next = undefined;
    if (isStopped) return;
    if (mine.size + others.size > QUEUE_GROWN) drop();
    isDirty = false;
    try {
      const isWritten = await journals.write(Object.fromEntries(mine), [...settled]);
      if (!isWritten) withdrawn();
      else back();
    } catch (error) {
      isDirty = true;
      isHanging = false;
      broken(error);
    }
  }

  async function isCleared(): Promise<boolean> {
    await waitFor(loaded);
    const isGone = !isHanging && (await within(HANGING_MS, journals.isCleared()).catch(() => false));
    if (isGone) withdrawn();
    return isGone;
  }

  function withdrawn(): void {
    if (isStopped) return;
    const count = [...known].filter((row) => isWaiting(row[0]) && isOwn(row)).length;
    stop();
    if (count) emit({ type: 'dropped', count, reason: 'withdrawn' });
    onWithdrawn();
  }

  function stop(): void {
    isStopped = true;
    journals.stop();
    for (const rows of [known, mine, others]) rows.clear();
  }

  return {
    known,
    isCleared,
    storage: 'key-value',
    isMemory: () => isVolatile || isMemory,
    // There are no transactions.
    run: async () => undefined,
    async add(key, value) {
      if (isStopped) return;
      known.set(key, { value, state: 'local' });
      put(key, value);
      await persist();
    },
    write: persist,
    async read(_, isLocked) {
      await waitFor(loaded);
      if (isLocked) await isCleared();
      const first = new Map([...mine, ...others].sort(([a], [b]) => (a < b ? -1 : 1)));
      return { keys: [...first.keys()], first };
    },
    async change(changes, mayDrop) {
      if (isStopped) return;
      for (const [key, value, from] of changes) {
        const isGone = from !== undefined && !mine.has(from) && !others.has(from);
        if (from !== undefined || !value) {
          known.delete(from ?? key);
          remove(from ?? key);
        }
        // Rows that were purged meanwhile are not written.
        if (value && !isGone) put(key, value);
      }
      if (mayDrop) drop(mayDrop === 'aged' ? now() : undefined);
      await persist();
    },
    async purge() {
      for (const key of [...mine.keys(), ...others.keys()]) remove(key);
      known.clear();
      await persist();
    },
    stop,
    // What withdraws consent clears the journals itself: it knows of those of other sessions.
    async clear() {
      stop();
      await waitFor(Promise.allSettled([loaded, writing]));
    },
    withdrawn,
    close(last = Promise.resolve()) {
      const finish = async (): Promise<void> => {
        await writing;
        if (!isStopped && !isMemory && mine.size + settled.size < 1) await journals.release();
        isStopped = true;
      };
      last.then(finish, finish).catch(() => {});
    },
  };
}

/** Returns the events and dead letters of journals. */
function rowsOf(journals: readonly Journal[]): [key: string, row: unknown][] {
  return journals
    .flatMap(({ rows }) => Object.entries(rows))
    .filter(
      ([key, row]) =>
        (isWaiting(key) || key.startsWith(DEAD)) && typeof own(own(row, 'event'), 'event_id') === 'string',
    );
}
