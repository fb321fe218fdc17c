import type { Database } from '../../../src/network/database/database.ts';
import { createSchema } from '../../../src/network/database/schema.ts';
import { networkOn } from '../../network/database/recordedNetwork.ts';
import { ask, offerFields, testNetworkOf, type TestNetwork } from '../../network/testNetwork.ts';
import { median } from './ingest.ts';
import { serverCpu } from './serverCpu.ts';

const ROUNDS = 5;
/** Requests per round. */
const REQUESTS = 500;
/** Requests before anything is measured: until then this process compiles. */
const WARM_UP = 3_000;
const OFFERS = [40, 1_000, 10_000];

/** What a request for offers costs, in microseconds of CPU: of this process, and of the database where that is another. */
interface Cost {
  readonly node: number;
  readonly server: number | undefined;
}

/** Prints what a request for offers costs with more offers in the catalogue: the median of five rounds. */
export async function measureRecommendations(db: Database): Promise<void> {
  await createSchema(db);
  const network = await networkOn(db);
  const world = testNetworkOf(network);
  const readServer = await serverCpu(db);
  const subcategories = await subcategoryIds(world);
  const { publisher_remote_id } = network.describe().publisher;
  const { key } = await world.control('POST', '/sandbox/keys', { kind: 'partner_wide' });
  const measure = async (): Promise<Cost> => {
    const began = process.cpuUsage();
    const before = readServer?.() ?? 0;
    for (let index = 0; index < REQUESTS; index += 1) {
      const { status } = await network.fetch(recommendation(key, { publisher_remote_id }));
      if (status !== 200) throw new Error(`The network answered ${status}`);
    }
    const { user, system } = process.cpuUsage(began);
    const server = readServer ? (readServer() - before) / REQUESTS : undefined;
    return { node: (user + system) / REQUESTS, server };
  };

  console.log('\nA request for offers, µs of CPU: this process, database');
  let offers = 0;
  for (let done = 0; done < WARM_UP; done += REQUESTS) await measure();
  for (const count of OFFERS) {
    await addOffers(db, { from: offers, to: count, subcategories });
    offers = count;
    // The version that the control writes makes the process read the catalogue again.
    await world.offer({ heading: `The last of ${count}` });
    const began = performance.now();
    await network.fetch(recommendation(key, {}));
    const reading = performance.now() - began;
    const costs: Cost[] = [];
    for (let round = 0; round < ROUNDS; round += 1) costs.push(await measure());
    print(`${count} offers`, costs, `, after ${reading.toFixed(0)} ms for the first, which reads the catalogue`);
  }
  await db.close();
}

function print(what: string, costs: readonly Cost[], more: string): void {
  const node = median(costs.map((cost) => cost.node)).toFixed(0);
  const servers = costs.flatMap(({ server }) => (server === undefined ? [] : [server]));
  const server = servers.length > 0 ? `, ${median(servers).toFixed(0)}` : '';
  console.log(`  ${what.padEnd(34)} ${node.padStart(6)}${server} µs${more}`);
}

function recommendation(key: string, parts: Record<string, unknown>): Request {
  return new Request('http://127.0.0.1/recommendations', {
    method: 'POST',
    headers: { 'x-api-key': key, version: '1.0.0', 'content-type': 'application/json' },
    body: JSON.stringify(ask(parts)),
  });
}

async function subcategoryIds(world: Omit<TestNetwork, 'url'>): Promise<string[]> {
  const key = world.network.describe().keys.management ?? '';
  const { body } = await world.call('GET', '/adnet/adconfig/categories/', { key });
  return body.categories.flatMap((category: { subcategories: { remote_id: string }[] }) =>
    category.subcategories.map(({ remote_id }) => remote_id),
  );
}

/** Adds offers straight to the database: ten thousand controls would take minutes. */
async function addOffers(
  db: Database,
  { from, to, subcategories }: { from: number; to: number; subcategories: readonly string[] },
): Promise<void> {
  const { cta_details, heading, target_url } = offerFields('');
  const rows = Array.from({ length: to - from }, (_, index) => {
    const number = from + index;
    return {
      offer_id: `bench-${number}`,
      advertiser_id: `advertiser-${number % 100}`,
      subcategory_id: subcategories[number % subcategories.length],
      heading,
      target_url,
      details: { cta_details, subheading: 'A second line of text, as long as they usually are' },
      price_per_conversion: 1 + (number % 7),
      budget: 1_000_000,
      spent: 0,
      weight: 1,
      active: true,
      created_at: new Date(),
      deleted_at: null,
    };
  });
  const advertisers = Array.from({ length: 100 }, (_, number) => {
    return { advertiser_id: `advertiser-${number}`, name: `Advertiser ${number}`, logo_url: '', description: null };
  });
  await db.query(
    'INSERT INTO advertisers SELECT * FROM json_populate_recordset(NULL::advertisers, $1::json) ON CONFLICT DO NOTHING',
    [JSON.stringify(advertisers)],
  );
  await db.query('INSERT INTO offers SELECT * FROM json_populate_recordset(NULL::offers, $1::json)', [
    JSON.stringify(rows),
  ]);
}
