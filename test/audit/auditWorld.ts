import type { Network } from '../../src/network.ts';
import type { LedgerCounts } from '../../src/relay.ts';
import { createPageReader } from '../../src/cli/audit/createPageReader.ts';
import { makeAudit, type Audit, type AuditRequest } from '../../src/cli/audit/makeAudit.ts';
import { dateOf } from '../../src/wire/utcDates.ts';
import { serveTestNetwork, type TestNetwork } from '../network/testNetwork.ts';

const HOUR = 3_600_000;

/** What stands between a network and its callers: it may change a call, a response, or both. */
export type Lie = (request: Request, send: (request: Request) => Promise<Response>) => Promise<Response>;

/** A network over HTTP whose clock a test moves through the night before the day before yesterday. */
export interface AuditWorld extends Pick<TestNetwork, 'control'> {
  readonly network: Network;
  /** Calls the network, through what `distort` put before it. */
  readonly fetch: typeof globalThis.fetch;
  distort(lie: Lie): void;
  readonly url: string;
  readonly integrationKey: string;
  readonly reportingKey: string;
  /** The hours from 20:00 until 04:00. */
  readonly hours: readonly number[];
  /** Nothing happens later. */
  readonly end: number;
  setClock(time: number): Promise<void>;
  /** Compares a ledger with the network's report, as read on the day after. */
  audit(ledger: LedgerCounts, request?: Partial<AuditRequest>): Promise<Audit>;
  close(): Promise<void>;
}

/** Starts a network with three offers. */
export async function openAuditWorld(): Promise<AuditWorld> {
  const helpers = await serveTestNetwork();
  const { network } = helpers;
  for (let at = 0; at < 3; at++) await helpers.offer();
  const { integration = '', publisher_reporting = '' } = network.describe().keys;
  const today = Math.floor(Date.now() / (24 * HOUR)) * 24 * HOUR;
  const start = today - 3 * 24 * HOUR + 20 * HOUR;
  const hours = Array.from({ length: 8 }, (_, index) => start + index * HOUR);
  const end = start + 8 * HOUR - 1;
  const send = (request: Request): Promise<Response> => network.fetch(request);
  let lie: Lie = (request) => send(request);
  const fetch: AuditWorld['fetch'] = (url, init) => lie(new Request(url, init), send);
  return {
    network,
    fetch,
    distort: (next) => (lie = next),
    url: helpers.url,
    integrationKey: integration,
    reportingKey: publisher_reporting,
    hours,
    end,
    control: helpers.control,
    setClock: async (time) => {
      await helpers.control('POST', '/sandbox/clock', { now: new Date(time).toISOString() });
    },
    async audit({ rows, problems }, request = {}) {
      const audit = await makeAudit({
        ledger: {
          read: async ({ from, to }) => ({
            rows: rows.filter(({ hour }) => hour >= from && hour <= `${to}T24`),
            problems,
          }),
        },
        readPage: createPageReader({
          network: 'http://network.test',
          apiKey: publisher_reporting,
          fetch,
          note: () => undefined,
        }),
        dates: { from: dateOf(start), to: dateOf(end) },
        grain: 'hour',
        by: [],
        tolerance: 0,
        now: end + 24 * HOUR,
        // The first shoppers come when the relay starts.
        partial: true,
        ...request,
      });
      if (!audit) throw new Error('The ledger is empty.');
      return audit;
    },
    close: helpers.close,
  };
}
