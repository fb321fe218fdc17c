import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Device } from './browser.ts';
import { NetworkServer, openNetworkDatabase, type NetworkDatabase, type Publisher } from './network.ts';
import type { Plan, Step } from './plan.ts';
import { buildRealm, type Realm, type Sabotage } from './realm.ts';
import type * as PageRealm from './realms/page.ts';
import type * as RelayRealm from './realms/relay.ts';
import type * as StorageRealm from './realms/storage.ts';
import { Redis } from './redis.ts';
import { openRelaySlot, RelayServer, type RelaySlot } from './relay.ts';
import { Shopper } from './shopper.ts';
import { checkTruth, Truth } from './truth.ts';
import { Machine, type Process, World } from './world.ts';
import { type Exchange, Wire } from './wire.ts';

/** What all histories of a process are made with. */
export interface Stage {
  database: NetworkDatabase;
  page: Realm<typeof PageRealm>;
  relays: readonly RelaySlot[];
  readonly storage: typeof StorageRealm;
  /** The world whose time the devices' databases follow. */
  world: World | undefined;
  close(): Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const [storage, page, relay, database] = await Promise.all([
    buildRealm<typeof StorageRealm>('storage'),
    buildRealm<typeof PageRealm>('page'),
    buildRealm<typeof RelayRealm>('relay'),
    openNetworkDatabase(),
  ]);
  const setImmediate = (run: () => void): void => stage.world?.soon(run);
  const stage: Stage = {
    database,
    page,
    world: undefined,
    close: () => database.pglite.close(),
    relays: [openRelaySlot(relay), openRelaySlot(relay)],
    storage: storage({ Date, Math, console, performance, setImmediate }),
  };
  return stage;
}

/** Puts a fault into the programs of a stage, and returns what takes it out again. */
export async function sabotage(stage: Stage, fault: Sabotage): Promise<() => void> {
  const { page, relays, database } = stage;
  const [folder = ''] = fault.file.split('/');
  if (['queue', 'session'].includes(folder)) stage.page = await buildRealm('page', fault);
  else if (folder === 'network') stage.database = await database.with(fault);
  else {
    const relay = await buildRealm<typeof RelayRealm>('relay', fault);
    stage.relays = [openRelaySlot(relay), openRelaySlot(relay)];
  }
  return () => Object.assign(stage, { page, relays, database });
}

/** What a history came to. */
export interface Outcome {
  /** What does not hold. Each begins with the number of its invariant. */
  readonly failures: readonly string[];
  readonly trace: readonly string[];
  readonly exchanges: readonly Exchange[];
}

/** Milliseconds in which all that can be delivered must be, once nothing is wrong any more. */
const DELIVERY_MS = 420_000;
/** Milliseconds for whatever is still under way. */
const REST_MS = 30_000;

/** Lets a plan happen, and compares what everybody says with what really did. */
export async function play(stage: Stage, plan: Plan): Promise<Outcome> {
  const world = (stage.world = new World(plan.seed));
  const folder = plan.store === 'file' ? mkdtempSync(join(tmpdir(), 'offerlet-simulation-')) : '';
  try {
    const publisher = await stage.database.addPublisher(world);
    const history = new History(stage, plan, { publisher, directory: join(folder, 'relay') });
    await history.run();
    const failures = await checkTruth(history.truth, stage.database, publisher);
    return { failures, trace: world.trace, exchanges: history.truth.wire.exchanges };
  } finally {
    if (folder) rmSync(folder, { recursive: true });
  }
}

class History {
  readonly truth: Truth;
  readonly #plan: Plan;
  readonly #world: World;
  readonly #wire: Wire;
  readonly #network: NetworkServer;
  readonly #relays: readonly RelayServer[];
  readonly #redis: Redis;
  readonly #shoppers: readonly Shopper[];
  #isOver = false;

  constructor(stage: Stage, plan: Plan, { publisher, directory }: { publisher: Publisher; directory: string }) {
    const world = (this.#world = stage.world as World);
    this.#plan = plan;
    const network = (this.#network = new NetworkServer(world, stage.database));
    const redis = (this.#redis = new Redis(world));
    const wire = (this.#wire = new Wire(world));
    const living = new Map<number, Process>();
    const { store, relays, keepsIds } = plan;
    // Two servers of one merchant have one clock.
    const clock = new Machine('relay');
    this.#relays = [...Array(relays).keys()].map(
      (at) =>
        new RelayServer({
          world,
          wire,
          network,
          publisher,
          directory,
          store,
          keepsIds,
          redis,
          living,
          slot: stage.relays[at] as RelaySlot,
          machine: at === 0 ? clock : clock.beside('relay2'),
        }),
    );
    const truth = (this.truth = new Truth(plan, world, { wire, relays: this.#relays, network, redis }));
    this.#shoppers = plan.shoppers.map((person, at) => {
      const databases = new stage.storage.IDBFactory() as never;
      const device = new Device(world, new Machine(`device${at + 1}`), databases);
      const send = (process: Process, url: string, init: RequestInit): Promise<Response> =>
        wire.send('page', process, this.#relays, { url, init });
      const page: Realm<typeof PageRealm> = (globals) =>
        stage.page({ ...globals, IDBKeyRange: stage.storage.IDBKeyRange });
      return new Shopper({ device, page, send, truth, person, server: this.#relays[0] as RelayServer });
    });
  }

  async run(): Promise<void> {
    const world = this.#world;
    for (const server of [this.#network, ...this.#relays]) this.#start(server);
    await world.turnTo(world.time + 100);
    for (const step of this.#plan.steps) {
      await world.turnTo(world.time + step.after);
      world.note(`— ${JSON.stringify(step)}`);
      this.#do(step);
    }
    await this.#end();
  }

  #do(step: Step): void {
    switch (step.do) {
      case 'kill relay':
        return this.#killServer(this.#relays[step.which % this.#relays.length], step);
      case 'kill network':
        return this.#killServer(this.#network, step);
      case 'line':
        return this.#wire.plan(step.link, step.fault, step.count);
      case 'database':
        return void this.#network.faults.push(...Array.from({ length: step.count }, () => step.fault));
      case 'redis':
        return void this.#redis.faults.push(...Array.from({ length: step.count }, () => step.fault));
      case 'clock': {
        const { of } = step;
        const machine =
          of === 'network'
            ? this.#network.machine
            : of === 'relay'
              ? this.#relays[0]?.machine
              : this.#shopper(of).device.machine;
        machine?.set(step.ms);
        return undefined;
      }
      case 'sleep':
        this.#world.time += step.ms;
        return undefined;
      case 'open':
      case 'act':
      case 'kill tab':
      case 'hide':
      case 'show':
      case 'online':
      case 'leave':
      case 'destroy':
      case 'dismiss':
      case 'deny':
      case 'allow':
        return this.#shopper(step.device).do(step);
    }
  }

  #shopper(number: number): Shopper {
    return this.#shoppers[number % this.#shoppers.length] as Shopper;
  }

  #start(server: RelayServer | NetworkServer): void {
    server
      .start()
      .catch((error: unknown) => this.truth.broken.push(`1 ${server.machine.name} cannot start: ${String(error)}`));
  }

  #killServer(
    server: RelayServer | NetworkServer | undefined,
    { calls, downMs }: { calls: number; downMs: number },
  ): void {
    const { process } = server ?? {};
    if (!server || !process?.isAlive) return;
    process.killIn(calls);
    void process.ended.then(() =>
      this.#world.in(this.#isOver ? 0 : downMs, () => server.process === process && this.#start(server)),
    );
  }

  /** Everything works again, every shopper comes back, and nobody does anything more. */
  async #end(): Promise<void> {
    const { truth } = this;
    const world = this.#world;
    world.note('— everything works again');
    this.#isOver = true;
    this.#wire.mend();
    this.#network.faults.length = this.#redis.faults.length = 0;
    for (const server of [this.#network, ...this.#relays]) {
      server.process?.killIn(Infinity);
      if (!server.process?.isAlive) this.#start(server);
    }
    await world.turnTo(world.time + 1_000);
    for (const shopper of this.#shoppers) shopper.comeBack();
    // Their pages are to have tracked that they are there, before anybody asks whether all has arrived.
    await world.turnTo(world.time + REST_MS);
    await world.turnTo(world.time + DELIVERY_MS, () => truth.undelivered().length === 0);
    truth.late.push(...truth.undelivered());
    await world.turnTo(world.time + REST_MS);
    for (const { device, hasConsent } of this.#shoppers) await truth.look(device, hasConsent);
    await truth.audit(this.#relays.find(({ process }) => process?.isAlive));
  }
}
