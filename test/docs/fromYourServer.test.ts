import { expect, test } from 'vitest';
import { RecommendationsClient, type RecommendationsClientOptions, type ReportableEvent } from 'offerlet/client';
import { clicks, INSERTION, SESSION } from '../client/clientWorld.ts';
import { openModelNetwork } from '../client/modelNetwork.ts';
import { codeBlocks, pageAt } from './pages.ts';

// The code of docs/guides/from-your-server.md, run against a network in memory.

const [opening = '', email = '', click = '', app = '', conversion = ''] = codeBlocks(
  pageAt('docs/guides/from-your-server.md'),
)
  .filter(({ language }) => language === 'js')
  .map(({ code }) => code.replace(/^import .*$/m, ''));

/** Runs a block with what it uses, and returns what it declares. */
async function run(code: string, uses: Record<string, unknown>, declares: string): Promise<unknown> {
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
  return new AsyncFunction(...Object.keys(uses), `${code}\nreturn ${declares};`)(...Object.values(uses)) as unknown;
}

test('the page shows offers in an email, reports events of an app, and a conversion', async () => {
  const network = openModelNetwork();
  class Client extends RecommendationsClient {
    constructor(options: RecommendationsClientOptions) {
      super({ ...options, fetch: network.fetch });
    }
  }
  const env = { OFFERLET_NETWORK: 'https://partner.example', OFFERLET_API_KEY: 'adnet_rk_test_example' };
  const client = await run(opening, { RecommendationsClient: Client, process: { env } }, 'client');

  const saved = new Map<string, object>();
  const db = {
    save: async (id: string, value: object) => void saved.set(id, value),
    load: async (id: string) => saved.get(id),
  };
  const order = { id: '1001', email: 'ada@example.com' };
  await run(email, { client, order, db }, 'offers');
  expect(JSON.stringify(network.calls)).not.toContain('ada@');
  const opened: string[] = [];
  expect(await run(click, { client, order, db, redirect: (url: string) => opened.push(url) }, 'status')).toBe('stored');
  expect(opened).toEqual(['https://shop.example/a']);

  const later: ReportableEvent[] = [];
  const retryLater = async (events: ReportableEvent[]): Promise<void> => void later.push(...events);
  expect(await run(app, { client, events: clicks(3), retryLater }, 'reports')).toHaveLength(3);
  expect(later).toEqual([]);

  const ids = { session_id: SESSION, ...INSERTION };
  expect(await run(conversion, { client, click: ids, sale: { id: 'sale-1' } }, 'status')).toBe('stored');
  expect(network.stored.map(({ event_name }) => event_name)).toEqual([
    'WIDGET_LOAD',
    'BRAND_CLICK',
    ...Array.from({ length: 3 }, () => 'BRAND_CLICK'),
    'CONVERSION',
  ]);
});
