import { nodeOf, type Node } from './disk.ts';
import type * as RelayRealm from './realms/relay.ts';
import type { Realm } from './realm.ts';
import type { StoreKind } from './plan.ts';
import type { Redis } from './redis.ts';
import type { Publisher } from './network.ts';
import type { Audit } from '../../src/cli/audit/makeAudit.ts';
import type { PrefetchRequest } from '../../src/relay/prefetch.ts';
import type { PrefetchedOffers } from '../../src/wire/offers/prefetched.ts';
import type { ReportRow } from '../../src/wire/reporting.ts';
import { DAY_MS, dateOf } from '../../src/wire/utcDates.ts';
import { START, globalsOf, type Machine, never, Process, type World } from './world.ts';
import type { Server, Wire } from './wire.ts';

export interface RelayOptions {
  readonly world: World;
  readonly slot: RelaySlot;
  readonly wire: Wire;
  readonly network: Server;
  readonly publisher: Publisher;
  readonly store: StoreKind;
  readonly keepsIds: boolean;
  readonly machine: Machine;
  readonly directory: string;
  readonly redis: Redis;
  readonly living: Map<number, Process>;
}

/** Where a relay runs. One at a time: two have two. */
export type RelaySlot = (process: Process, node: Node) => typeof RelayRealm;

export function openRelaySlot(realm: Realm<typeof RelayRealm>): RelaySlot {
  let current: { readonly process: Process; readonly node: Node } | undefined;
  const running = (): Process => {
    if (!current) throw new Error('No relay has been started');
    return current.process;
  };
  const builtin = { getBuiltinModule: (name: string) => current?.node.getBuiltinModule(name) };
  const process = new Proxy({} as Node, { get: (_, name) => ({ ...current?.node, ...builtin })[name as keyof Node] });
  const program = realm({
    ...globalsOf(running),
    process,
    require: (name: string) => globalThis.process.getBuiltinModule(name) ?? {},
  });
  return (process, node) => {
    current = { process, node };
    return program;
  };
}

/** A merchant's relay, which may be started again and again. */
export class RelayServer implements Server {
  process: Process | undefined;
  /** What all its processes said that they counted. */
  readonly said: Record<string, number> = {};
  readonly #options: RelayOptions;
  #store:
    | Awaited<ReturnType<typeof RelayRealm.openDedupeFile>>
    | ReturnType<typeof RelayRealm.createDedupeRedis>
    | undefined;
  #program: typeof RelayRealm | undefined;
  #relay: ReturnType<typeof RelayRealm.createRelay> | undefined;

  readonly machine: Machine;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.machine = options.machine;
  }

  async start(): Promise<void> {
    const { world, slot, wire, network, publisher, store, keepsIds, machine, directory, living, redis } = this.#options;
    const process = new Process(world, machine.name, machine);
    this.process = process;
    this.#relay = undefined;
    const program = slot(process, nodeOf(process, living));
    const dedupe =
      store === 'file'
        ? await program.openDedupeFile(directory, { onLog: () => undefined })
        : store === 'redis'
          ? program.createDedupeRedis(redis.clientOf(process))
          : undefined;
    this.#store = dedupe;
    this.#program = program;
    this.#relay = program.createRelay({
      apiKey: publisher.integration,
      version: '1.0.0',
      networkUrl: 'https://network.example',
      environment: 'staging',
      basePath: '/offers',
      forwardEventIds: keepsIds,
      dedupe,
      fetch: ((url: string, init: RequestInit) =>
        wire.send('relay', process, [network], { url, init })) as typeof fetch,
      onLog: ({ level, message, error }) => world.note(`${machine.name} ${level}: ${message} ${error ?? ''}`),
      onMetric: ({ name, value }) => void (this.said[name] = (this.said[name] ?? 0) + value),
    });
  }

  /** Reads the network's report of all that has happened, and compares it with what this relay counted, if it did. */
  async audit(): Promise<{ report: readonly ReportRow[]; audit: Audit | undefined }> {
    const { network, publisher } = this.#options;
    if (!this.#program || !network.process) throw new Error('Nothing runs');
    const fetch = (url: string, init: RequestInit): Promise<Response> =>
      network.respond(new Request(url, init), network.process as Process);
    const source = { network: 'https://network.example', apiKey: publisher.reporting, note: () => undefined, fetch };
    const readPage = this.#program.createPageReader(source);
    const now = network.process.now();
    const dates = { from: dateOf(START - DAY_MS), to: dateOf(now) };
    const query = {
      dates,
      grain: 'day',
      groupBy: [],
      metrics: this.#program.AUDITED_METRICS,
      offset: 0,
      limit: 1_000,
    } as const;
    const page = await readPage(query);
    const { ledger } = this.#store ?? {};
    const audit =
      ledger &&
      (await this.#program.makeAudit({
        ledger,
        readPage,
        dates,
        grain: 'hour',
        by: ['view', 'display_mode', 'widget_id'],
        tolerance: 0,
        now,
        partial: true,
      }));
    return { report: page?.data ?? [], audit };
  }

  /** Requests offers for a page that the merchant's server renders: without them, the page requests them itself. */
  async prefetch(machine: Machine, given: PrefetchRequest): Promise<PrefetchedOffers | undefined> {
    const asked = this.#relay?.prefetch(new Request('https://shop.example/thanks'), {
      ...given,
      ip: addressOf(machine),
    });
    const prefetched = await Promise.race([asked, this.process?.ended]);
    return prefetched?.json;
  }

  async respond(request: Request, from: Process): Promise<Response> {
    // While it starts, nothing listens.
    if (!this.#relay) throw Object.assign(new Error('ECONNREFUSED'), { code: 'ECONNREFUSED' });
    return this.#relay(request, { ip: addressOf(from.machine) }).catch(() => never);
  }
}

function addressOf({ name }: Machine): string {
  return `198.51.100.${[...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 250}`;
}
