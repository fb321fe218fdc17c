import type { Network } from '../../../src/network.ts';
import type { Database, Parameter, Queries, Transaction } from '../../../src/network/database/database.ts';
import { createFetch } from '../../../src/network/createFetch.ts';
import { networkRoutes } from '../../../src/network/createNetwork.ts';
import type { Billing } from '../../../src/network/events/createBilling.ts';
import { firstStart } from '../../../src/network/firstStart.ts';
import { NOW, testNetworkOf, type TestNetwork } from '../testNetwork.ts';

/** A statement that a network sent. */
export interface Said {
  readonly sql: string;
  readonly params: readonly Parameter[];
  /** The number of its transaction. */
  readonly transaction: number | undefined;
}

/** A staging network on a database that is open already. */
export async function networkOn(db: Database): Promise<Network & Pick<Billing, 'sweep'>> {
  const description = await firstStart(db, {
    environment: 'staging',
    seed: 'empty',
    now: new Date(NOW),
    showKeys: false,
    keyPlace: {},
    onProgress: () => undefined,
  });
  const requests = createFetch({
    db,
    environment: 'staging',
    routes: networkRoutes('staging'),
    controls: {
      reset: async () => undefined,
      call: async () => Response.error(),
      integrationKey: () => undefined,
      hosts: [],
    },
    log: () => undefined,
  });
  return {
    sweep: requests.billing.sweep,
    fetch: requests.fetch,
    environment: 'staging',
    now: async () => new Date(),
    describe: () => description,
    gauges: () => [],
    lost: new Promise(() => undefined),
    close: requests.billing.close,
  };
}

/** A network on a database, its clock stopped at NOW, with a list of every statement that its requests send. */
export async function openRecordedNetwork(db: Database): Promise<{ world: Omit<TestNetwork, 'url'>; said: Said[] }> {
  const said: Said[] = [];
  // As several processes on one server would run: nothing that can change is cached.
  const world = testNetworkOf(await networkOn({ ...recording(db, said), kind: 'postgres' }));
  await world.control('POST', '/sandbox/clock', { now: NOW });
  await world.offer({ budget: '100' });
  await world.offer();
  return { world, said };
}

function recording(db: Database, said: Said[]): Database {
  let transactions = 0;
  const listen = (on: Queries, transaction?: number): Queries => {
    const noting =
      (run: Queries['query']): Queries['query'] =>
      (sql, params = []) => {
        said.push({ sql, params, transaction });
        return run(sql, params);
      };
    return { ...on, query: noting(on.query), hot: noting(on.hot) };
  };
  return {
    ...db,
    ...listen(db),
    read: (work) => db.read((on) => work(listen(on))),
    transaction(work, options) {
      const number = (transactions += 1);
      return db.transaction((transaction) => {
        const noted: Transaction = {
          ...listen(transaction, number),
          send(sql, params = []) {
            said.push({ sql, params, transaction: number });
            transaction.send(sql, params);
          },
        };
        return work(noted);
      }, options);
    },
  };
}
