import { type Core, type CoreOptions, openCore, type OpenRows } from './openCore.ts';
import { NOTE, type NoteChange, type Notes } from './rows.ts';

/** Opens the core of a queue with notes, which are in its own database. */
export function openNotedCore(open: OpenRows, options: CoreOptions): Core & { readonly notes: Notes } {
  /** What this page has read or written, for when storage fails. */
  let memory = new Map<string, unknown>();
  /** Changes while memory had to do. */
  let unsaved: [key: string, change: NoteChange][] = [];
  /** The latest change: what follows from it is written even if the queue is closed meanwhile. */
  let latest: Promise<void> | undefined;

  const core = openCore(open, {
    ...options,
    onBack() {
      const changes = unsaved;
      unsaved = [];
      // A new database lacks all of them.
      for (const [name, copy] of memory)
        void update(name, (before) =>
          before === undefined
            ? copy
            : changes.reduce<unknown>((value, [key, change]) => (key === name ? change(value) : value), before),
        );
    },
    onWithdrawn() {
      clear();
      options.onWithdrawn?.();
    },
  });
  const { run, write } = core.rows;

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
    // Cleared meanwhile.
    if (copies !== memory) return;
    if (!stored) unsaved.push([key, change]);
    remember(key, stored ? stored[0] : change(memory.get(key)));
  }

  function clear(): void {
    memory = new Map();
    unsaved = [];
  }

  return {
    ...core,
    notes: {
      update: (key, change) => (latest = update(key, change)),
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
      clear,
    },
    close: () => (latest ? latest.then(core.close) : core.close()),
    clear() {
      clear();
      return core.clear();
    },
  };
}
