import { type Core, type CoreOptions, openCore, type OpenRows } from './openCore.ts';
import type { Rows } from './openRows.ts';
import { NOTE, type NoteChange, type Notes } from './rows.ts';

/** Notes, and what becomes of them when storage comes and goes. */
interface StoredNotes extends Notes {
  /** Writes again what a new database lacks. */
  restore(): void;
}

/** Opens the notes in the queue's own database. */
export function openNotes({ run, write }: Pick<Rows, 'run' | 'write'>): StoredNotes {
  /** What this page has read or written, for when storage fails. */
  let memory = new Map<string, unknown>();

  function remember(key: string, value: unknown): void {
    if (value === undefined) memory.delete(key);
    else memory.set(key, value);
  }

  async function update(key: string, change: NoteChange): Promise<void> {
    const copies = memory;
    // Events of the same task go first: a note that says they are counted must not survive a kill without them.
    await Promise.resolve();
    void write();
    const stored = await run('readwrite', async (table) => {
      if (copies !== memory) return undefined;
      const value = change(await table.get(NOTE + key));
      table.put(NOTE + key, value);
      return [value];
    });
    // Purged meanwhile.
    if (copies !== memory) return;
    remember(key, stored ? stored[0] : change(memory.get(key)));
  }

  return {
    update,
    async read(key) {
      const stored = await run('readonly', async (table) => [await table.get(NOTE + key)]);
      if (stored) remember(key, stored[0]);
      return memory.get(key);
    },
    async sweep(isFresh) {
      const keys = await run('readonly', (table) => table.noteKeys());
      const names = keys?.map((key) => key.slice(NOTE.length)) ?? [...memory.keys()];
      const keepFresh: NoteChange = (value) => (isFresh(value) ? value : undefined);
      await Promise.all(names.map((name) => update(name, keepFresh)));
    },
    restore() {
      for (const [key, copy] of memory) void update(key, (before) => before ?? copy);
    },
    clear() {
      memory = new Map();
    },
  };
}

/** Opens the core of a queue with notes. */
export function openNotedCore(open: OpenRows, options: CoreOptions): Core & { readonly notes: Notes } {
  const core = openCore(open, {
    ...options,
    onBack: () => notes.restore(),
    onWithdrawn() {
      notes.clear();
      options.onWithdrawn?.();
    },
  });
  const notes = openNotes(core.rows);
  return {
    ...core,
    notes,
    clear() {
      notes.clear();
      return core.clear();
    },
  };
}
