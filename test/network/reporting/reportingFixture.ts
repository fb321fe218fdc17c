import { randomUUID } from 'node:crypto';
import { readApiKeyHeader, hashKey, type NetworkContext } from '../../../src/network/context.ts';
import { readNetworkState } from '../../../src/network/networkState.ts';
import { createProcessCache, readVersions } from '../../../src/network/createProcessCache.ts';
import { createEventStore } from '../../../src/network/events/eventStore.ts';
import type { Database } from '../../../src/network/database/database.ts';
import { createKey } from '../../../src/network/storedKeys.ts';
import { reportingRoutes } from '../../../src/network/reporting/routes.ts';
import { ADD_ACTIVITY } from '../../../src/network/controls/activity.ts';
import type { ReportingSettings } from '../../../src/network/settings.ts';
import { periodsAt } from '../../../src/network/facts.ts';
import type { ReportRow } from '../../../src/wire/reporting.ts';
import { COUNTS, MONEY } from './randomActivity.ts';
import { expectContract } from '../contract.ts';

export const CHANNEL = '/adnet/reporting/v2/report/';
export const PUBLISHER = '/api/analysis/publisher-reporting/v2/report/';
/** The time of the examples in src/network/contract/rules.md. */
export const NOW = '2025-11-20T10:30:00Z';

/** One hour of one placement, by default of Acme. Metrics are 0 by default; money is decimal text. */
export interface Fact {
  hour: string;
  publisher?: string | undefined;
  channel?: string;
  page_type?: string;
  widget_type?: string;
  widget_id?: string;
  [metric: string]: string | number | undefined;
}

/** A response of the Reporting API; missing parts are empty. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
  data: readonly ReportRow[];
  summary: Readonly<Record<string, number>>;
  pagination: { offset: number; limit: number; total: number; has_more: boolean };
  meta: { timezone: string; data_through: string | null; request_id: string };
}

/** A channel with the publishers Acme and Bolt, and helpers to read its reports. */
export interface ReportingFixture {
  channel: string;
  acme: string;
  bolt: string;
  keys: Readonly<Record<'management' | 'publishable' | 'integration' | 'acme' | 'bolt', string>>;
  settings: ReportingSettings;
  now: string;
  facts(...facts: Fact[]): Promise<void>;
  ask(path: string, init?: RequestInit): Promise<Answer>;
  channelReport(query?: string): Promise<Answer>;
  publisherReport(query?: string, key?: string): Promise<Answer>;
}

const MEASURED = [...COUNTS, ...MONEY];

/** Creates a channel in a database. Fixtures in one database share nothing. */
export async function openReportingFixture(
  db: Database,
  environment: 'production' | 'staging' = 'staging',
): Promise<ReportingFixture> {
  const [channel, acme, bolt] = [randomUUID(), randomUUID(), randomUUID()];
  await db.query('INSERT INTO channels VALUES ($1, $2, $3, $4)', [channel, 'CH1', environment, NOW]);
  await addPublisher(db, { channel, id: acme, name: 'Acme' });
  await addPublisher(db, { channel, id: bolt, name: 'Bolt' });
  const make = async (
    kind: 'management' | 'publishable' | 'integration' | 'publisher_reporting',
    publisherId?: string,
  ): Promise<string> =>
    (await createKey(db, { kind, environment, issuedIn: environment, channelId: channel, publisherId })).key;
  const office: ReportingFixture = {
    channel,
    acme,
    bolt,
    keys: {
      management: await make('management'),
      publishable: await make('publishable'),
      integration: await make('integration', acme),
      acme: await make('publisher_reporting', acme),
      bolt: await make('publisher_reporting', bolt),
    },
    settings: {},
    now: NOW,
    async facts(...facts) {
      const rows = facts.map(({ publisher = acme, channel: of = channel, hour, ...rest }) => ({
        publisher_id: publisher,
        channel_id: of,
        ...periodsAt(Date.parse(hour)),
        page_type: 'THANK_YOU',
        widget_type: 'OVERLAY',
        widget_id: '',
        ...Object.fromEntries(MEASURED.map((metric) => [metric, 0])),
        ...rest,
      }));
      await db.query(ADD_ACTIVITY, [JSON.stringify(rows)]);
    },
    async ask(path, init) {
      const requestId = randomUUID();
      const request = new Request(new URL(path, 'http://network.test'), init);
      const context: NetworkContext = {
        db,
        environment,
        measure: () => undefined,
        requestId,
        networkUrl: 'http://network.test',
        store: createEventStore(db),
        bill: () => undefined,
        noteFailure: () => undefined,
        now: async () => new Date(office.now),
        settings: async () => office.settings,
        caller: async () => {
          const key = readApiKeyHeader(request);
          return (await readNetworkState(db, path, key ? hashKey(key) : undefined)).key;
        },
        cache: createProcessCache(false),
        versions: async () => readVersions({}),
      };
      const route = reportingRoutes.find(({ pattern }) => pattern === new URL(request.url).pathname);
      if (!route) throw new Error(`no route for ${path}`);
      const response = await route.handler(request, context, {});
      await expectContract({ method: request.method, path }, response);
      const text = await response.text();
      const body = JSON.parse(text) as Omit<Answer, 'status' | 'headers' | 'text' | 'body'>;
      return {
        ...body,
        status: response.status,
        headers: response.headers,
        text,
        body: body as unknown as Record<string, unknown>,
      };
    },
    channelReport: (query = '') =>
      office.ask(`${CHANNEL}?${query}`, { headers: { 'x-api-key': office.keys.management } }),
    publisherReport: (query = '', key = office.keys.acme) =>
      office.ask(`${PUBLISHER}?${query}`, { headers: { 'X-API-Key': key } }),
  };
  return office;
}

/** An approved publisher of a channel. */
export async function addPublisher(
  db: Database,
  { channel, id, name }: { channel: string; id: string; name: string },
): Promise<void> {
  await db.query(
    `INSERT INTO publishers (pending_publisher_id, publisher_remote_id, channel_id, brand_name, brand_key, domain, domain_key,
       primary_category_id, status, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $6, $7, 'APPROVED', $8, $8)`,
    [randomUUID(), id, channel, name, name.toLowerCase(), `${id}.example`, randomUUID(), NOW],
  );
}
