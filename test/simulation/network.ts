import crypto from 'node:crypto';
import * as nodeFs from 'node:fs';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import type * as NetworkRealm from './realms/network.ts';
import { buildRealm, type Realm, type Sabotage } from './realm.ts';
import { globalsOf, Machine, never, Process, START, World } from './world.ts';
import type { Server } from './wire.ts';
import { offerFields } from '../network/testNetwork.ts';

/** What may become of statements of the network. */
export const DATABASE_FAULTS = ['database away', 'commit lost'] as const;
export type DatabaseFault = (typeof DATABASE_FAULTS)[number];

/** One embedded database with a catalogue, for the networks of all histories. */
export interface NetworkDatabase {
  /** The same database, for networks built with a fault. */
  with(sabotage: Sabotage): Promise<NetworkDatabase>;
  readonly pglite: PGlite;
  /** The program of the networks, for the process that starts now. */
  program(process: Process, port: object): typeof NetworkRealm;
  /** Makes a publisher of one history, without anything of an earlier one of its name. */
  addPublisher(world: World): Promise<Publisher>;
}

/** A publisher and its keys. */
export interface Publisher {
  readonly id: string;
  readonly integration: string;
  readonly reporting: string;
}

const TABLES = ['sessions', 'events', 'activity', 'hourly_facts', 'daily_facts', 'conversions', 'receipts', 'api_keys'];

export async function openNetworkDatabase(): Promise<NetworkDatabase> {
  const realm = await buildRealm<typeof NetworkRealm>('network');
  let pglite: PGlite | undefined;
  const first = new Process(new World(0), 'first', new Machine('first'));
  const real = {
    ...globalsOf(() => first),
    Date,
    performance,
    setTimeout,
    setImmediate,
    clearTimeout,
    clearImmediate,
    process,
  };
  const create = async (...given: Parameters<typeof PGlite.create>): Promise<PGlite> =>
    (pglite = await PGlite.create(...given));
  const { createNetwork, hashKey } = realm({ ...real, require: requireOf(() => first.world, { create }) });
  const network = await createNetwork({
    memory: true,
    seed: 'empty',
    now: new Date(START).toISOString(),
    log: () => undefined,
  });
  if (!pglite) throw new Error('The network opened no database');
  const database = pglite as PGlite;
  const { rows } = await database.query<{ remote_id: string }>(
    'SELECT remote_id FROM subcategories ORDER BY remote_id LIMIT 1',
  );
  for (let at = 0; at < 4; at++)
    await network.fetch(
      new Request('http://127.0.0.1/sandbox/offers', {
        method: 'POST',
        body: JSON.stringify({ ...offerFields(rows[0]?.remote_id ?? ''), heading: `Teapot ${at}` }),
      }),
    );
  await database.query("DELETE FROM settings WHERE name = 'clock'");
  const model = network.describe().publisher.publisher_remote_id;
  const known = new Set<string>();

  const opened: NetworkDatabase = {
    pglite: database,
    program: programOf(realm),
    with: async (sabotage) => ({ ...opened, program: programOf(await buildRealm('network', sabotage)) }),
    async addPublisher(world) {
      const id = world.uuid();
      if (known.has(id)) {
        for (const table of TABLES) await database.query(`DELETE FROM ${table} WHERE publisher_id = $1`, [id]);
        await database.query('DELETE FROM publishers WHERE publisher_remote_id = $1', [id]);
      }
      known.add(id);
      const publisher = JSON.stringify({
        pending_publisher_id: id,
        publisher_remote_id: id,
        brand_key: id,
        api_key: null,
      });
      await database.query(
        'INSERT INTO publishers SELECT (jsonb_populate_record(p, $1::jsonb)).* FROM publishers p WHERE publisher_remote_id = $2',
        [publisher, model],
      );
      const keys = { integration: `adnet_rk_test_${id}`, reporting: `adnet_sk_test_${id}` };
      for (const [kind, key] of [
        ['integration', keys.integration],
        ['publisher_reporting', keys.reporting],
      ] as const)
        await database.query(
          `INSERT INTO api_keys SELECT (jsonb_populate_record(k, $1::jsonb)).* FROM api_keys k WHERE kind = $2 AND publisher_id = $3`,
          [JSON.stringify({ id: world.uuid(), key_hash: hashKey(key), publisher_id: id }), kind, model],
        );
      return { id, ...keys };
    },
  };
  return opened;
}

/** One program for all networks, one after another. */
function programOf(realm: Realm<typeof NetworkRealm>): NetworkDatabase['program'] {
  let current: { readonly process: Process; readonly port: object } | undefined;
  const running = (): Process => {
    if (!current) throw new Error('No network has been started');
    return current.process;
  };
  const create = (): Promise<object> => Promise.resolve(current?.port ?? {});
  const require = requireOf(() => running().world, { create });
  const program = realm({ ...globalsOf(running), process: {}, require });
  return (process, port) => {
    current = { process, port };
    return program;
  };
}

/** The network of one history. */
export class NetworkServer implements Server {
  process: Process | undefined;
  readonly faults: DatabaseFault[] = [];
  readonly machine = new Machine('network');
  readonly #world: World;
  readonly #database: NetworkDatabase;
  #fetch: ReturnType<typeof NetworkRealm.createFetch>['fetch'] | undefined;

  constructor(world: World, database: NetworkDatabase) {
    this.#world = world;
    this.#database = database;
  }

  async start(): Promise<void> {
    const process = new Process(this.#world, 'network', this.machine);
    const program = this.#database.program(process, this.#port(process));
    const db = await program.openPglite('embedded');
    const controls = { reset: never, call: never, integrationKey: () => undefined, hosts: [] } as never;
    const routes = program.networkRoutes('staging');
    this.#fetch = program.createFetch({
      db,
      environment: 'staging',
      routes,
      controls,
      log: () => undefined,
      measure: () => undefined,
      isTrustedProxy: () => false,
    }).fetch;
    this.process = process;
  }

  respond(request: Request): Promise<Response> {
    return this.#fetch?.(request) ?? never;
  }

  /** The database as one process sees it: away now and then, and gone with the process. */
  #port(process: Process): object {
    const { pglite } = this.#database;
    const { faults } = this;
    const run = <T>(work: () => Promise<T>): Promise<T> =>
      process.reach()
        ? new Promise((resolve, reject) =>
            this.#world.soon(() => {
              if (!process.reach()) return;
              work().then(
                (value) => process.isAlive && resolve(value),
                (error: unknown) => process.isAlive && reject(error as Error),
              );
            }),
          )
        : never;
    const takes = (fault: DatabaseFault): boolean => faults[0] === fault && faults.shift() !== undefined;
    const statements = (on: PGlite | Transaction): object => ({
      query: (sql: string, params: unknown[]) => run(() => on.query(sql, params)),
      exec: (sql: string) => run(() => on.exec(sql)),
    });
    return {
      ...statements(pglite),
      async transaction(work: (transaction: object) => Promise<unknown>) {
        if (takes('database away')) throw new Error('The connection is lost');
        const result = await run(() =>
          pglite.transaction(async (transaction) => {
            const own = { ...statements(transaction), rollback: () => transaction.rollback() };
            const died = process.ended.then(() => Promise.reject(new Error('The process died')));
            const result = await Promise.race([work(own), died]);
            if (!process.reach()) throw new Error('The process died');
            return result;
          }),
        );
        if (takes('commit lost')) throw new Error('The connection is lost');
        return result;
      },
      close: () => Promise.resolve(),
    };
  }
}

function requireOf(world: () => World, PGliteOfWorld: object): (name: string) => unknown {
  const modules: Record<string, unknown> = {
    'node:crypto': {
      ...crypto,
      randomUUID: () => world().uuid(),
      randomBytes: (count: number) =>
        Buffer.from(Array.from({ length: count }, () => Math.floor(world().random() * 256))),
    },
    'node:timers/promises': { setTimeout: (ms: number) => world().wait(ms) },
    'node:fs': { ...nodeFs, existsSync: (file: string) => file.startsWith('embedded') || nodeFs.existsSync(file) },
    '@electric-sql/pglite': { PGlite: PGliteOfWorld },
  };
  return (name) => modules[name] ?? (name.startsWith('node:') ? process.getBuiltinModule(name) : {});
}
