import { createNetwork, type NetworkOptions } from '../../../src/network.ts';
import type { Database } from '../../../src/network/database/database.ts';
import { createSchema } from '../../../src/network/database/schema.ts';
import { hashKey, readJson } from '../../../src/network/context.ts';
import { readNetworkState } from '../../../src/network/createFetch.ts';
import { readEvent } from '../../../src/wire/events.ts';
import { testNetworkOf, type Shown } from '../../network/testNetwork.ts';
import { BATCH, batchOf, storeStraight } from './ingest.ts';
import { fakeDatabase, printStatements } from './statements.ts';

const WARM_UP = 200;
const BATCHES = 400;

/** Prints the CPU time of this process for each part of a batch, one batch after the other: where an event's time goes. */
export async function printParts(place: NetworkOptions, open: () => Promise<Database>): Promise<void> {
  const network = await createNetwork({ ...place, seed: 'demo', log: () => undefined });
  const world = testNetworkOf(network);
  const db = await open();
  await createSchema(db);
  const key = network.describe().keys.integration ?? '';
  const sessions: Shown[] = [];
  for (let n = 0; n < 20; n += 1) sessions.push(await world.session());
  const bodies = Array.from({ length: 50 }, (_, index) => JSON.stringify({ events: batchOf(sessions, index) }));
  const request = (index: number, path = '/events/batch'): Request =>
    new Request(`http://127.0.0.1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, version: '1.0.0', 'content-type': 'application/json' },
      body: bodies[index % bodies.length] ?? '',
    });
  const hash = hashKey(key);
  const parts: [string, (index: number) => unknown][] = [
    ['HTTP: request, route, log, response', (index) => network.fetch(request(index, '/nothing'))],
    ['JSON: body, parsing, depth', (index) => readJson(request(index), 1_000_000)],
    ['validation', (index) => parse(bodies[index % bodies.length] ?? '').map(readEvent)],
    ['key, clock, settings: one statement', () => readNetworkState(db, '/events/batch', hash)],
    ['storing: the transaction', (index) => storeStraight(db, sessions, index)],
    ['  of which ours: JSON, sorting, sums', (index) => storeStraight(fakeDatabase(), sessions, index)],
    ['  of which round trips and protocol', () => roundTrips(db)],
  ];
  console.log('CPU of this process, one batch after the other:');
  for (const [name, run] of parts) {
    for (let index = 0; index < WARM_UP; index += 1) await run(index);
    const began = process.cpuUsage();
    for (let index = 0; index < BATCHES; index += 1) await run(index);
    const { user, system } = process.cpuUsage(began);
    console.log(`  ${name.padEnd(38)} ${((user + system) / BATCHES / BATCH).toFixed(1).padStart(6)} µs an event`);
  }
  await printStatements(db, sessions);
  await network.close();
  await db.close();
}

/** The statements of a batch and its round trips, with nothing in them. */
function roundTrips(db: Database): Promise<void> {
  return db.transaction(async (transaction) => {
    await transaction.hot('SELECT 1');
    await transaction.hot('SELECT 2');
    transaction.send('SELECT 3');
    transaction.send('SELECT 4');
  });
}

function parse(body: string): unknown[] {
  const { events } = JSON.parse(body) as { events: unknown[] };
  return events;
}
