import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/network/database/database.ts';
import { createEventStore, storeEvents } from '../../../src/network/events/eventStore.ts';
import type { Shown } from '../../network/testNetwork.ts';
import { BATCH, median, runAll, straight } from './ingest.ts';
import { serverCpu } from './serverCpu.ts';

const BATCHES = 400;
const ROUNDS = 5;

/** Compares a transaction per batch with one for the concurrent batches of a publisher, in turns. */
export async function compareGroups(open: () => Promise<Database>): Promise<void> {
  console.log('\nOne transaction per batch, and one for the concurrent batches of a publisher');
  const db = await open();
  const readServer = await serverCpu(db);
  const store = createEventStore(db);
  for (const publishers of [1, 16]) {
    const nobody = { id: randomUUID(), sessions: sessionsOf() };
    const tenants = [nobody, ...Array.from({ length: publishers - 1 }, () => ({ ...nobody, id: randomUUID() }))];
    for (const callers of [1, 8, 32]) {
      const kinds = {
        each: async (index: number): Promise<void> => {
          const { id, sessions } = tenants[index % publishers] ?? nobody;
          await storeEvents(db, { publisherId: id, events: straight(sessions, index, id) });
        },
        together: async (index: number): Promise<void> => {
          const { id, sessions } = tenants[index % publishers] ?? nobody;
          await store(id, { events: straight(sessions, index, id), earning: [] });
        },
      };
      const rates: Record<string, number[]> = { each: [], together: [] };
      const cpu: Record<string, number[]> = { each: [], together: [] };
      for (let round = 0; round <= ROUNDS; round += 1)
        for (const [name, task] of Object.entries(kinds)) {
          const before = { node: process.cpuUsage(), server: readServer?.() ?? 0 };
          const rate = await runAll({ batches: BATCHES, callers }, task);
          const { user, system } = process.cpuUsage(before.node);
          if (round === 0) continue;
          rates[name]?.push(rate);
          cpu[name]?.push((user + system + (readServer?.() ?? 0) - before.server) / BATCHES / BATCH);
        }
      const shown = Object.keys(kinds).map(
        (name) =>
          `${name} ${median(rates[name] ?? []).toFixed(0)} events/s, CPU ${median(cpu[name] ?? []).toFixed(0)} µs an event`,
      );
      console.log(`  ${publishers} publishers, ${callers} callers: ${shown.join('; ')}`);
    }
  }
  await db.close();
}

/** Sessions that nothing has to know. */
function sessionsOf(): Shown[] {
  return Array.from({ length: 20 }, () => ({
    session_id: randomUUID(),
    items: Array.from({ length: 3 }, () => ({
      offer_id: randomUUID(),
      advertiser_id: randomUUID(),
      insertion_id: randomUUID(),
    })),
  }));
}
