import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRelay, openDedupeFile, type DedupeStore } from '../../src/relay.ts';
import { ACCEPTED_LOG } from '../../src/relay/dedupe/acceptedLog.ts';
import { createCounting } from '../../src/relay/ledger/createCounting.ts';
import { cellText, placementText } from '../../src/relay/ledger/ledger.ts';
import type { Telemetry } from '../../src/relay/telemetry.ts';
import { EVENT_NAMES, type WireEvent } from '../../src/wire/events.ts';
import { batch } from './relay/bodies.ts';
import { serve } from './relay/processes.ts';

/** A batch's processor time may rise by this share. */
const GOAL_PERCENT = 5;
const GOAL_BYTES = 2 * 1024 * 1024;

/** `npm run bench -- ledger [batches per round] [rounds]`: what the ledger costs a batch, and a month of a busy shop on disk. */
export async function run(args: string[]): Promise<void> {
  const batches = Number(args[0] ?? 2_000);
  const rounds = Number(args[1] ?? 7);
  const folder = await mkdtemp(join(tmpdir(), 'offerlet-bench-'));
  const network = await serve(['network']);
  try {
    const store = await openDedupeFile(join(folder, 'with'));
    const { ledger: _, ...plain } = await openDedupeFile(join(folder, 'without'));
    const counting = createCounting({ ledger: store.ledger, telemetry: SILENT, timeoutMs: 1_000, now: Date.now });
    const placement = { view: 'THANK_YOU', display_mode: 'INLINE' };
    counting.addOffers('answered', { session: 's', placement, owner: 'o', sender: undefined });
    const events = Array.from({ length: 20 }, (_, at): WireEvent => ({
      event_name: EVENT_NAMES[at % EVENT_NAMES.length] ?? 'BRAND_CLICK',
      event_datetime: new Date().toISOString(),
      session_id: 's',
    }));
    const cells = await counting.cellsOf(events);
    const post = open(`http://127.0.0.1:${network.port}`, plain);
    // The difference of two whole batches would be lost in their noise, so the ledger's own stages are measured.
    const took = await measure(
      { batches, rounds },
      {
        batch: async () => void (await post(batch())),
        cells: async () => void counting.cellsOf(events),
        without: () => Promise.resolve(plain.accept(newKeys(), 'x')),
        with: () => Promise.resolve(store.accept(newKeys(), 'x', cells)),
      },
    );
    const more = took.cells + Math.max(0, took.with - took.without);
    console.log(`a batch of 20 events, files, µs of processor time, best of ${rounds} × ${batches}`);
    console.log(`  the whole batch without a ledger ${took.batch.toFixed(0)}`);
    console.log(
      `  what its events count for ${took.cells.toFixed(1)}, writing them ${took.without.toFixed(1)} without and ${took.with.toFixed(1)} with counts`,
    );
    console.log(
      `  the ledger: ${more.toFixed(1)}, ${((more / took.batch) * 100).toFixed(1)} % (goal ≤ ${GOAL_PERCENT} %)`,
    );
    await store.close();
    await plain.close();
    const bytes = await measureMonth(join(folder, 'month'));
    console.log(
      `a month of counts, of three placements and every event name in every hour: ${(bytes / 1024).toFixed(0)} KB (goal ≤ ${GOAL_BYTES / 1024} KB)`,
    );
  } finally {
    network.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const SILENT: Telemetry = { isVerbose: false, log: () => undefined, measure: () => undefined };

function newKeys(): string[] {
  return Array.from({ length: 20 }, () => crypto.randomUUID().replaceAll('-', ''));
}

type Post = (body: string) => Promise<Response>;

function open(networkUrl: string, dedupe: DedupeStore): Post {
  const relay = createRelay({
    apiKey: 'adnet_rk_test_0123456789abcdef',
    version: '1.0.0',
    networkUrl,
    dedupe,
    rateLimit: false,
    onLog: () => undefined,
  });
  const headers = { 'content-type': 'application/json' };
  return (body) => relay(new Request('http://shop.example/events/batch', { method: 'POST', headers, body }));
}

/** Returns the processor time of each kind of work, in turns: what else the machine does adds to a round, and takes nothing away. */
async function measure<Name extends string>(
  { batches, rounds }: { batches: number; rounds: number },
  works: Readonly<Record<Name, () => Promise<void>>>,
): Promise<Record<Name, number>> {
  const best = Object.fromEntries(Object.keys(works).map((name) => [name, Infinity])) as Record<Name, number>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of Object.keys(works) as Name[]) {
      const before = process.cpuUsage();
      for (let at = 0; at < batches; at++) await works[name]();
      const { user, system } = process.cpuUsage(before);
      best[name] = Math.min(best[name], (user + system) / batches);
    }
  }
  return best;
}

/** Writes what a relay writes in a month, a record a second at most, and starts again. Returns the file's bytes. */
async function measureMonth(directory: string): Promise<number> {
  const placements = ['below the fold', 'sidebar', 'confirmation'].map((widget_id) =>
    placementText({ view: 'THANK_YOU', display_mode: 'INLINE', widget_id }),
  );
  const names = EVENT_NAMES.filter((name) => name !== 'CONVERSION');
  const start = Date.now() - 30 * 24 * 3_600_000;
  const store = await openDedupeFile(directory);
  for (let hour = 0; hour < 30 * 24; hour++) {
    const counts = new Map<string, number>();
    for (let late = 0; late < 3; late++) {
      const text = new Date(start + (hour - late) * 3_600_000).toISOString().slice(0, 13);
      for (const placement of placements)
        for (const name of names) counts.set(cellText(text, name, placement), 100 + ((hour * 37) % 2_000));
      for (const name of ['offers_requested', 'offers_answered', 'offers_empty', 'waiting', 'waiting_settled'])
        counts.set(cellText(text, name), 100 + hour);
    }
    await store.ledger.add(counts);
  }
  await store.close();
  return (await stat(join(directory, ACCEPTED_LOG))).size;
}
