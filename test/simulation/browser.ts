import { globalsOf, type Machine, never, Process, type World } from './world.ts';
import type { Realm } from './realm.ts';

/** A shopper's device with one browser: what all its tabs share. */
export class Device {
  readonly world: World;
  readonly machine: Machine;
  readonly databases: IDBFactory;
  readonly values = new Map<string, string>();
  readonly locks: LockRequest[] = [];
  readonly channels = new Set<Channel>();
  readonly tabs: Process[] = [];

  constructor(world: World, machine: Machine, databases: IDBFactory) {
    this.world = world;
    this.machine = machine;
    this.databases = databases;
  }

  /** Opens a tab, and runs a program in it. */
  open<Exports>(realm: Realm<Exports>, fetch: TabFetch): Tab & { readonly program: Exports } {
    const process = new Process(this.world, `${this.machine.name}.${this.tabs.length + 1}`, this.machine);
    this.tabs.push(process);
    const events = new EventTarget();
    const document = { hidden: false };
    const globals = {
      ...globalsOf(() => process),
      document,
      navigator: { userAgent: 'Mozilla/5.0', locks: { request: (...given: unknown[]) => this.#lock(process, given) } },
      location: { href: 'https://shop.example/thanks' },
      indexedDB: this.#indexedDB(process),
      localStorage: this.#localStorage(process),
      BroadcastChannel: this.#channel(process),
      addEventListener: events.addEventListener.bind(events),
      removeEventListener: events.removeEventListener.bind(events),
      fetch: (url: string, init: RequestInit) => fetch(process, url, init),
    };
    process.ends.push(() => this.#release(process));
    const emit = (type: string): void => void (process.isAlive && events.dispatchEvent(new Event(type)));
    return { process, document, emit, program: realm(globals) };
  }

  #indexedDB(tab: Process): object {
    const open = new Map<IDBTransaction, boolean>();
    const watch = (transaction: IDBTransaction): IDBTransaction => {
      open.set(transaction, false);
      for (const type of ['complete', 'abort']) transaction.addEventListener(type, () => open.delete(transaction));
      const commit = transaction.commit.bind(transaction);
      transaction.commit = () =>
        tab.touch(() => {
          open.set(transaction, true);
          commit();
        });
      return transaction;
    };
    tab.ends.push(() => {
      // What was committed may have reached the disk; all else is undone.
      for (const [transaction, isCommitted] of open) if (!isCommitted || tab.world.chance(0.5)) abort(transaction);
    });
    return {
      open: (name: string, version?: number) =>
        tab.touch(() => {
          const request = this.databases.open(name, version);
          request.addEventListener('upgradeneeded', () => {
            const { transaction } = request;
            if (transaction) watch(transaction as unknown as IDBTransaction);
            if (transaction && !tab.isAlive) abort(transaction as unknown as IDBTransaction);
          });
          request.addEventListener('success', () => {
            const connection = request.result as unknown as IDBDatabase;
            const transact = connection.transaction.bind(connection);
            connection.transaction = (...given) => tab.touch(() => watch(transact(...given)));
          });
          return request;
        }),
      databases: () => tab.call(() => this.databases.databases()),
    };
  }

  #localStorage(tab: Process): object {
    const { values } = this;
    const methods: Record<string, unknown> = {
      getItem: (key: string) => tab.touch(() => values.get(key) ?? null),
      setItem: (key: string, value: string) => tab.touch(() => void values.set(key, value)),
      removeItem: (key: string) => tab.touch(() => void values.delete(key)),
    };
    return new Proxy(methods, {
      ownKeys: () => tab.touch(() => [...values.keys()]),
      getOwnPropertyDescriptor: (_, key) =>
        values.has(String(key)) ? { value: values.get(String(key)), enumerable: true, configurable: true } : undefined,
    });
  }

  #channel(tab: Process): unknown {
    const { channels, world } = this;
    return class extends EventTarget implements Channel {
      readonly tab = tab;
      readonly name: string;
      constructor(name: string) {
        super();
        this.name = name;
        channels.add(this);
      }
      postMessage(data: unknown): void {
        if (!tab.reach()) return;
        for (const other of channels)
          if (other !== (this as Channel) && other.name === this.name)
            world.in(world.between(0, 5), () => {
              if (channels.has(other) && other.tab.isAlive)
                other.dispatchEvent(Object.assign(new Event('message'), { data }));
            });
      }
      close(): void {
        channels.delete(this);
      }
    };
  }

  #lock(tab: Process, given: readonly unknown[]): Promise<unknown> {
    if (!tab.reach()) return never;
    const [name, work] = [String(given[0]), given.at(-1) as LockRequest['work']];
    const { signal, steal = false } = (given.length > 2 ? given[1] : {}) as { signal?: AbortSignal; steal?: boolean };
    return new Promise((resolve, reject) => {
      const request: LockRequest = { tab, name, work, resolve, reject, isHeld: false };
      const end = (): void => {
        if (request.isHeld) return;
        this.#remove(request);
        reject(signal?.reason as Error);
      };
      if (signal?.aborted) return end();
      signal?.addEventListener('abort', end);
      if (steal) {
        for (const held of this.locks.filter((each) => each.name === name && each.isHeld)) {
          this.#remove(held);
          held.reject(new DOMException('Stolen', 'AbortError'));
        }
        this.locks.unshift(request);
      } else this.locks.push(request);
      this.#grant(name);
    });
  }

  #grant(name: string): void {
    this.world.soon(() => {
      const first = this.locks.find((each) => each.name === name);
      if (!first || first.isHeld) return;
      first.isHeld = true;
      const end = (): void => this.#remove(first);
      void Promise.resolve()
        .then(() => first.work({ name }))
        .then(first.resolve, first.reject)
        .finally(end);
    });
  }

  #remove(request: LockRequest): void {
    const place = this.locks.indexOf(request);
    if (place >= 0) this.locks.splice(place, 1);
    this.#grant(request.name);
  }

  #release(tab: Process): void {
    for (const channel of this.channels) if (channel.tab === tab) this.channels.delete(channel);
    for (const request of this.locks.filter((each) => each.tab === tab)) this.#remove(request);
  }
}

/** A tab of a device. */
export interface Tab {
  readonly process: Process;
  readonly document: { hidden: boolean };
  /** Tells the page of an event, such as `pagehide`. */
  emit(type: string): void;
}

export type TabFetch = (tab: Process, url: string, init: RequestInit) => Promise<Response>;

interface Channel extends EventTarget {
  readonly tab: Process;
  readonly name: string;
}

interface LockRequest {
  readonly tab: Process;
  readonly name: string;
  readonly work: (lock: unknown) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  isHeld: boolean;
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended.
  }
}
