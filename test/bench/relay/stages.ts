import { createDedupeMemory } from '../../../src/relay/dedupe/createDedupeMemory.ts';
import { createEventKeys } from '../../../src/relay/dedupe/eventKeys.ts';
import { checkBatch, readBatch, writeBatch } from '../../../src/relay/events/createEventRoutes.ts';
import { composeRequest, findMissing, observeAttributes } from '../../../src/relay/recommend.ts';
import { createResponseReader } from '../../../src/relay/createUpstream.ts';
import type { WireEvent } from '../../../src/wire/events.ts';
import { isNestedDeeper, parseJson, type JsonObject } from '../../../src/wire/json.ts';
import { JSON_MAX_DEPTH } from '../../../src/wire/limits.ts';
import { batch, question } from './bodies.ts';

/** Batches of events that differ, so that nothing is served from a cache. */
const BODIES = 6_000;
const ROUNDS = 3;
const KEY = 'adnet_rk_test_0123456789';

/** Prints what each stage of the relay takes by itself, in microseconds of processor time. */
export async function printStages(): Promise<void> {
  const bodies = Array.from({ length: BODIES }, batch);
  const parsed = bodies.map(parseJson);
  const events = parsed.map((json): readonly WireEvent[] =>
    checkBatch(json, Date.now()).flatMap((each) => (each.ok ? [each.value] : [])),
  );
  const hash = createEventKeys();
  const keys = await Promise.all(events.map(async (each) => (await hash(each)) as string[]));
  const memory = createDedupeMemory();
  const results = events[0]?.map((_, index) => ({ index, success: true })) ?? [];
  const response = { status: 202, text: JSON.stringify({ results, accepted: 20, failed: 0 }), retryAfter: null };
  const asked = JSON.parse(question()) as JsonObject;
  const headers = new Map([
    ['accept-language', 'de-CH,de;q=0.9'],
    ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64)'],
  ]);

  console.log('\nStages, each alone, in µs of processor (between sockets each takes up to twice that)');
  console.log(' a batch of 20 events');
  await measure('parse the body', (at) => parseJson(bodies[at] ?? ''));
  await measure('check its depth', (at) => isNestedDeeper(parsed[at], JSON_MAX_DEPTH));
  await measure('validate its events', (at) => checkBatch(parsed[at], Date.now()));
  await measure('hash their keys', (at) => hash(events[at] ?? []));
  await measure('duplicate memory: claim and accept', (at) => {
    const batchKeys = keys[at] ?? [];
    memory.claim(batchKeys);
    memory.accept(batchKeys, '192.0.2.1');
  });
  await measure('serialize them', (at) => writeBatch(events[at] ?? [], false));
  const readResponse = createResponseReader(KEY);
  await measure("read the network's response", () => readBatch(readResponse(response), results.length));
  console.log(' a request for offers');
  await measure('parse the body', () => parseJson(question()));
  await measure('compose, check, serialize', async () => {
    const observed = observeAttributes((name) => headers.get(name) ?? null);
    const body = await composeRequest({ page: asked, known: {}, observed, emails: 'hash', sandbox: 'asked' });
    return findMissing(body).length + JSON.stringify(body).length;
  });
  const offers = {
    ...response,
    status: 200,
    text: JSON.stringify({ copy: 'A month of coffee on us. '.repeat(20), offers: asked }),
  };
  await measure("read the network's response (0.8 KB)", () => readResponse(offers));
}

async function measure(name: string, work: (at: number) => unknown): Promise<void> {
  const took: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = process.cpuUsage();
    for (let at = 0; at < BODIES; at++) {
      const done = work(at);
      if (done instanceof Promise) await done;
    }
    const { user, system } = process.cpuUsage(before);
    took.push((user + system) / BODIES);
  }
  // The first round is the warm-up.
  const [, ...rounds] = took;
  console.log(`  ${name.padEnd(38)} ${Math.min(...rounds).toFixed(1)}`);
}
