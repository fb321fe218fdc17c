import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRelay, openDedupeFile, type DedupeStore } from '../../src/relay.ts';
import { appendSegment, ledgerFolder } from '../../src/relay/ledger/dayFiles.ts';
import { cellText, placementText } from '../../src/relay/ledger/ledger.ts';
import { EVENT_NAMES } from '../../src/wire/events/wireEvent.ts';
import { batch } from './relay/bodies.ts';
import { serve } from './relay/processes.ts';

const SENTENCE = 'the ledger next to the same relay without one, in turns';
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
    const stores = {
      with: await openDedupeFile(join(folder, 'with')),
      without: await openDedupeFile(join(folder, 'without')),
    };
    const { ledger: _, ...plain } = stores.without;
    const url = `http://127.0.0.1:${network.port}`;
    const relays = { with: open(url, stores.with), without: open(url, plain) };
    const took: Record<'with' | 'without', number[]> = { with: [], without: [] };
    console.log(`${SENTENCE}, ${rounds} × ${batches} batches of 20 events, files, µs of processor time of a batch`);
    for (let round = 0; round <= rounds; round++) {
      for (const name of ['with', 'without'] as const) {
        const each = await measure(relays[name], batches);
        // The first round is the warm-up.
        if (round > 0) took[name].push(each);
      }
    }
    const [counted, uncounted] = [median(took.with), median(took.without)];
    const more = ((counted / uncounted - 1) * 100).toFixed(1);
    console.log(`  ${uncounted.toFixed(0)} without, ${counted.toFixed(0)} with: ${more} % (goal ≤ ${GOAL_PERCENT} %)`);
    for (const store of Object.values(stores)) await store.close();
    const bytes = await measureMonth(join(folder, 'month'));
    console.log(
      `a month of three placements, every event name in every hour, late events in the two hours before: ${(bytes / 1024).toFixed(0)} KB (goal ≤ ${GOAL_BYTES / 1024} KB)`,
    );
  } finally {
    network.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type Post = (body: string) => Promise<Response>;

function open(baseUrl: string, dedupe: DedupeStore): Post {
  const relay = createRelay({
    apiKey: 'adnet_rk_test_0123456789abcdef',
    version: '1.0.0',
    baseUrl,
    dedupe,
    rateLimit: false,
    onLog: () => undefined,
  });
  const headers = { 'content-type': 'application/json' };
  return (body) => relay(new Request('http://shop.example/events/batch', { method: 'POST', headers, body }));
}

async function measure(post: Post, batches: number): Promise<number> {
  const bodies = Array.from({ length: batches }, batch);
  const before = process.cpuUsage();
  for (const body of bodies) {
    const { status } = await post(body);
    if (status !== 202) throw new Error(`The relay returned ${status}.`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / batches;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Writes what a relay writes in a month, once an hour. Returns its bytes. */
async function measureMonth(directory: string): Promise<number> {
  const placements = ['below the fold', 'sidebar', 'confirmation'].map((widget_id) =>
    placementText({ view: 'THANK_YOU', display_mode: 'INLINE', widget_id }),
  );
  const names = EVENT_NAMES.filter((name) => name !== 'CONVERSION');
  const start = Date.UTC(2026, 10, 1);
  for (let hour = 0; hour < 30 * 24; hour++) {
    const counts = new Map<string, number>();
    for (let late = 0; late < 3; late++) {
      const text = new Date(start + (hour - late) * 3_600_000).toISOString().slice(0, 13);
      for (const placement of placements)
        for (const name of names) counts.set(cellText(text, name, placement), 100 + ((hour * 37) % 2_000));
      for (const name of ['offers_requested', 'offers_answered', 'offers_empty', 'waiting', 'waiting_settled'])
        counts.set(cellText(text, name), 100 + hour);
    }
    await appendSegment(directory, { segment: hour.toString(16).padStart(12, '0'), counts });
  }
  const files = await readdir(ledgerFolder(directory));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(ledgerFolder(directory), file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
