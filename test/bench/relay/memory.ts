import { batch, question } from './bodies.ts';
import { open, runLoad } from './load.ts';
import type { Served } from './processes.ts';

const MB = 1024 * 1024;
const CONNECTIONS = 1_000;
/** Batches after which the 200,000 ids that a relay keeps by default are all there. */
const FULL_AFTER = 10_500;
/** What a busy shop sends: 20 batches a second, 10 minutes long. */
const TEN_MINUTES = 12_000;

/** Prints what 1,000 connections cost, idle and at work. */
export async function measureConnections(relay: Served): Promise<void> {
  const before = await relay.usage('memory');
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(relay.port)));
  const beside = await runLoad({
    port: relay.port,
    path: '/recommendations',
    body: question,
    connections: 1,
    seconds: 0.2,
  });
  const idle = await relay.usage('memory');
  for (const socket of sockets) socket.destroy();
  console.log(
    `\n${CONNECTIONS} idle connections: + ${((idle.rss - before.rss) / MB).toFixed(1)} MB resident; good requests beside them p99 ${beside.p99.toFixed(1)} ms`,
  );
  const { port } = relay;
  const work = await runLoad({ port, path: '/recommendations', body: question, connections: CONNECTIONS, seconds: 3 });
  const after = await relay.usage('memory');
  console.log(
    `${CONNECTIONS} connections at work: ${Math.round(work.perSecond)} requests/s, p99 ${work.p99.toFixed(0)} ms, failed ${work.failed}; + ${((after.rss - before.rss) / MB).toFixed(1)} MB resident afterwards, heap ${(after.heapUsed / MB).toFixed(1)} MB (before: ${(before.heapUsed / MB).toFixed(1)})`,
  );
}

/** Fills the memory of ids, then prints the heap after each third of ten minutes' worth of batches. */
export async function measureGrowth(relay: Served): Promise<void> {
  const send = (requests: number): Promise<unknown> =>
    runLoad({ port: relay.port, path: '/events/batch', body: batch, connections: 16, requests });
  await send(FULL_AFTER);
  const heaps = [(await relay.usage('memory')).heapUsed / MB];
  for (let third = 0; third < 3; third++) {
    await send(TEN_MINUTES / 3);
    heaps.push((await relay.usage('memory')).heapUsed / MB);
  }
  const [, , middle = 0, last = 0] = heaps;
  console.log(
    `Heap after garbage collection, with the memory of ids full and after each third of ${TEN_MINUTES.toLocaleString('en')} batches (${(TEN_MINUTES * 20).toLocaleString('en')} events, 10 minutes of a busy shop): ${heaps.map((heap) => heap.toFixed(1)).join(' → ')} MB; last / middle ${(last / middle).toFixed(3)}`,
  );
}
