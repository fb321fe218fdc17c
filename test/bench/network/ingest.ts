import { randomUUID } from 'node:crypto';
import { createNetwork, type NetworkOptions } from '../../../src/network.ts';
import type { Database } from '../../../src/network/database/database.ts';
import { createSchema } from '../../../src/network/database/schema.ts';
import type { StoredSession } from '../../../src/network/events/attributeConversions.ts';
import { type AcceptedEvent, storeEvents } from '../../../src/network/events/eventStore.ts';
import { parseEvent } from '../../../src/wire/events.ts';
import { serverCpu } from './serverCpu.ts';
import { event, testNetworkOf, type Shown } from '../../network/testNetwork.ts';

const ROUNDS = 5;
/** Events per batch. */
const BATCH = 20;
/** What a shopper's page sends in the order of its life; a batch holds it twice. */
const KINDS = [
  'WIDGET_LOAD',
  'WIDGET_DISPLAY',
  'WIDGET_VIEW',
  'BRAND_DISPLAY',
  'BRAND_VIEW',
  'BRAND_DISPLAY',
  'BRAND_VIEW',
  'PRODUCT_DISPLAY',
  'ELEMENT_CLICK',
  'BRAND_CLICK',
];

/**
 * Sends the same kind of batches through the network and straight to a database, in turns; prints events per second. The
 * floor runs the transaction alone, one per batch: no HTTP, no key, no checks.
 */
export async function compareIngest(options: {
  readonly batches: number;
  readonly callers: number;
  readonly place: NetworkOptions;
  open(): Promise<Database>;
}): Promise<void> {
  const network = await createNetwork({ ...options.place, seed: 'demo', log: () => undefined });
  const world = testNetworkOf(network);
  const floor = await options.open();
  await createSchema(floor);
  const sessions: Shown[] = [];
  for (let n = 0; n < 20; n += 1) sessions.push(await world.session());
  const kinds = ['floor', 'ours'] as const;
  const rates: Record<(typeof kinds)[number], number[]> = { ours: [], floor: [] };
  const headers = {
    'x-api-key': network.describe().keys.integration ?? '',
    version: '1.0.0',
    'content-type': 'application/json',
  };
  const tasks = {
    ours: async (index: number): Promise<void> => {
      const request = new Request('http://127.0.0.1/events/batch', {
        method: 'POST',
        headers,
        body: JSON.stringify({ events: batchOf(sessions, index) }),
      });
      const { status } = await network.fetch(request);
      if (status !== 202) throw new Error(`The network answered ${status}`);
    },
    floor: async (index: number): Promise<void> =>
      void (await storeEvents(floor, PUBLISHER, straight(sessions, index))),
  };
  const readServer = await serverCpu(floor);
  const cpu = { ours: { node: 0, server: 0 }, floor: { node: 0, server: 0 } };
  for (const who of kinds) await runAll(options, tasks[who]);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const who of kinds) {
      const before = { node: process.cpuUsage(), server: readServer?.() ?? 0 };
      rates[who].push(await runAll(options, tasks[who]));
      const { user, system } = process.cpuUsage(before.node);
      cpu[who].node += user + system;
      cpu[who].server += (readServer?.() ?? 0) - before.server;
    }
  }
  const events = ROUNDS * options.batches * BATCH;
  for (const who of kinds) {
    const sorted = rates[who].map(Math.round).toSorted((a, b) => a - b);
    const total = ({ node, server }: typeof cpu.ours): number => node + server;
    const byCpu = readServer ? ` (by CPU ${(total(cpu[who]) / total(cpu.ours)).toFixed(2)})` : '';
    const ratio =
      who === 'ours' ? '' : `   ours is ${(median(rates.ours) / median(rates[who])).toFixed(2)} of it${byCpu}`;
    const server = readServer ? `, database ${(cpu[who].server / events).toFixed(0)}` : '';
    console.log(
      `  ${who.padEnd(7)} min ${sorted[0]}  median ${median(sorted)}  max ${sorted.at(-1)} events/s   CPU: this process ${(cpu[who].node / events).toFixed(0)}${server} µs an event${ratio}`,
    );
  }
  await network.close();
  await floor.close();
}

/** Runs a task for each of `batches`, by so many callers; returns events per second. */
async function runAll(
  { batches, callers }: { readonly batches: number; readonly callers: number },
  task: (index: number) => Promise<void>,
): Promise<number> {
  const began = performance.now();
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < batches) await task(next++);
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (batches * BATCH * 1_000) / (performance.now() - began);
}

/** One batch of events of two sessions. */
function batchOf(sessions: readonly Shown[], index: number): Record<string, unknown>[] {
  return Array.from({ length: BATCH }, (_, n) => {
    const session = sessions[(index * 2 + Math.floor(n / KINDS.length)) % sessions.length];
    const name = KINDS[n % KINDS.length];
    if (!session || !name) throw new Error('There is no session to write for');
    const isTile = name.startsWith('PRODUCT_');
    const parts = {
      event_datetime: new Date().toISOString(),
      initiating_target: name === 'ELEMENT_CLICK' ? 'INLINE_NAV_FORWARD' : undefined,
    };
    return event(name, session, { ...parts, ...(isTile ? { product_properties: { product_id: 'p' } } : {}) }, n % 3);
  });
}

const PUBLISHER = randomUUID();

/** Such a batch, checked, of a publisher's sessions, as the network stores it. */
function straight(sessions: readonly Shown[], index: number): AcceptedEvent[] {
  return batchOf(sessions, index).map((raw, arrival) => {
    const parsed = parseEvent(raw);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const { value } = parsed;
    return {
      event: value,
      at: Date.now(),
      session: sessionRow(PUBLISHER, value.session_id),
      arrival,
      receivedAt: new Date(),
      raw,
    };
  });
}

function sessionRow(publisher_id: string, session_id: string): StoredSession {
  return {
    publisher_id,
    session_id,
    channel_id: publisher_id,
    page_type: 'THANK_YOU',
    widget_type: 'INLINE',
    widget_id: '',
    is_sandbox: false,
    has_email: true,
    order_amount: null,
    insertions: {},
    created_at: new Date(),
  };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
