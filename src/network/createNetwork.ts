import { BlockList, isIP } from 'node:net';
import { join } from 'node:path';
import type { Environment } from '../wire/keys.ts';
import { readHostName } from '../http/refuseForeign.ts';
import type { RequestSource, NetworkGauge, NetworkMetric, NetworkRoute } from './context.ts';
import { createFetch, logToStderr, type NetworkLog } from './createFetch.ts';
import type { SeedKind } from './seed/seed.ts';
import { readClock, writeSetting } from './settings.ts';
import { firstStart, startOver, type Description, type StartOptions } from './firstStart.ts';
import { DatabaseUnavailableError } from './database/database.ts';
import { NetworkStartError, openWhenReachable } from './database/openNetworkDatabase.ts';
import { parseDatetime } from '../wire/json.ts';
import { channelRoutes } from './channel/routes.ts';
import { healthRoutes } from './health.ts';
import { eventRoutes } from './eventRoutes.ts';
import { pageRoutes } from './pages/routes.ts';
import { recommendationRoutes } from './recommendations/routes.ts';
import { reportingRoutes } from './reporting/routes.ts';
import { controls as controlRoutes } from './controls/controls.ts';

/** How to run a network. Without `data` and `databaseUrl` it stores everything in memory. */
export interface NetworkOptions {
  /** A directory for the embedded database. */
  readonly data?: string | undefined;
  readonly memory?: boolean | undefined;
  /** A PostgreSQL server (15 or newer) to use instead, or the coordinator of a distributed one. Any number of networks may share it. */
  readonly databaseUrl?: string | undefined;
  /** Seconds to wait for a server that cannot be reached; by default none. */
  readonly wait?: number | undefined;
  readonly environment?: Environment | undefined;
  /** What to put into an empty database. */
  readonly seed?: SeedKind | undefined;
  /** Stops the clock at this time (ISO 8601). Staging only. */
  readonly now?: string | undefined;
  /** The URL at which callers reach the network; by default each request's own origin. */
  readonly networkUrl?: string | (() => string) | undefined;
  /** Maximum offers in one response, 1 to 10; 10 by default. */
  readonly maxOffers?: number | undefined;
  /** Host names besides localhost and 127.0.0.1 at which the staging controls may be called, such as `network` in a container. */
  readonly controlHosts?: readonly string[] | undefined;
  /** In production: issues new first keys and revokes the old. */
  readonly showKeys?: boolean | undefined;
  readonly log?: NetworkLog | undefined;
  /** Called with what is being done while a network prepares its database, such as the part of the history that it has seeded. */
  readonly onProgress?: ((text: string) => void) | undefined;
  /** Addresses of proxies, such as `10.0.0.0/8`, whose X-Forwarded-Proto says whether the network is reached by https. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Called for each request, and for the events in it. */
  readonly onMetric?: ((metric: NetworkMetric) => void) | undefined;
}

/** A running network. */
export interface Network {
  /** Responds to a request; never rejects. `from` says who sent it and how to end the connection. */
  fetch(request: Request, from?: RequestSource): Promise<Response>;
  readonly environment: Environment;
  /** The network's time: while its clock is stopped, the time at which it was stopped. */
  now(): Promise<Date>;
  /** What the first line of `--json` says, without the URL. */
  describe(): Description;
  /** How busy the database is, and what waits to be billed. */
  gauges(): readonly NetworkGauge[];
  /** Resolves with the reason when another process takes the data directory over; from then on requests get a 503. Stays pending otherwise. */
  readonly lost: Promise<Error>;
  /** Waits for the requests in progress, then closes the database. */
  close(): Promise<void>;
}

/** Starts a whole advertising network on its database: the Channel, Recommendations and Reporting APIs, and in staging the controls. */
export async function createNetwork(options: NetworkOptions = {}): Promise<Network> {
  const environment = options.environment ?? 'staging';
  const clock = startClock(options);
  const hosts = (options.controlHosts ?? []).map(readControlHost);
  const networkUrl = readPublicUrl(options.networkUrl);
  const isTrustedProxy = readProxies(options.trustedProxies ?? []);
  const data = options.memory === true ? undefined : options.data;
  const log = options.log ?? logToStderr;
  const say = (level: 'info' | 'error', message: string): void => log({ at: new Date().toISOString(), level, message });
  const onProgress = options.onProgress ?? (() => undefined);
  onProgress('Opening the database');
  const db = await openWhenReachable(
    { databaseUrl: options.databaseUrl, data },
    { seconds: options.wait ?? 0, onWait: (message) => say('info', message) },
  );
  if (db.readOnlyBecause !== undefined)
    say(
      'error',
      `${data} cannot be written (${db.readOnlyBecause}). The network only reads what is stored. Make space, and start it again.`,
    );
  try {
    if (clock) await writeSetting(db, 'clock', clock.toISOString());
    const now = async (): Promise<Date> => (environment === 'staging' ? await readClock(db) : undefined) ?? new Date();
    const start: StartOptions = {
      environment,
      seed: options.seed ?? 'demo',
      now: clock ?? (await now()),
      showKeys: options.showKeys === true,
      onProgress,
      keyPlace: data === undefined || options.databaseUrl !== undefined ? {} : { file: join(data, 'keys.json') },
    };
    let description = await firstStart(db, start);
    const requests = createFetch({
      db,
      environment,
      routes: networkRoutes(environment),
      networkUrl,
      isTrustedProxy,
      measure: (metric) => options.onMetric?.(metric),
      maxOffers: options.maxOffers,
      controls: {
        async reset({ seed, now, networkUrl }) {
          await requests.billing.settled();
          description = await startOver(db, { ...start, seed, now });
          return { url: networkUrl, ...description };
        },
        call: (request) => requests.fetch(request),
        integrationKey: () => description.keys.integration,
        hosts,
      },
      log,
    });
    requests.billing.sweep();
    return {
      fetch: requests.fetch,
      environment,
      now,
      lost: db.lost ?? new Promise<never>(() => undefined),
      describe: () => description,
      gauges: () => [
        { name: 'billing_due', value: requests.billing.due() },
        ...(db.pools?.() ?? []).flatMap(({ pool, busy, waiting }) => [
          { name: 'database_busy', value: busy, pool } as const,
          { name: 'database_waiting', value: waiting, pool } as const,
        ]),
      ],
      async close() {
        await requests.drain();
        await requests.billing.close();
        await db.close();
      },
    };
  } catch (error) {
    await db.close().catch(() => undefined);
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    throw new NetworkStartError(`The network cannot start. ${error.message.split('\n')[0] ?? ''}`, { cause: error });
  }
}

function startClock({ now, environment }: NetworkOptions): Date | undefined {
  if (now === undefined) return undefined;
  const time = parseDatetime(now);
  if (time === undefined)
    throw new NetworkStartError(`--now is not an ISO time: "${now}". Use something like 2025-11-20T10:30:00Z.`);
  if (environment === 'production')
    throw new NetworkStartError('--now is for staging networks only: it stops the clock.');
  return new Date(time);
}

/** Refuses a URL to which no path can be added. */
function readPublicUrl(url: NetworkOptions['networkUrl']): NetworkOptions['networkUrl'] {
  if (typeof url !== 'string') return url;
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol) && !parsed.search && !parsed.hash && !parsed.username) return url;
  throw new NetworkStartError(
    `networkUrl (--public-url) is not the URL of a network: "${url}". Use something like https://partner.example.`,
  );
}

/** Returns whether an address is one of those, or in one of those networks. */
function readProxies(names: readonly string[]): (ip: string) => boolean {
  const list = new BlockList();
  for (const name of names) {
    const [address = '', bits] = name.split('/', 2);
    const [version, most] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const);
    const prefix = bits === undefined ? most : Number(bits);
    if (isIP(address) === 0 || !/^\d{1,3}$/.test(bits ?? '0') || prefix > most)
      throw new NetworkStartError(
        `trustedProxies (--trusted-proxy) is not an IP address or a network: "${name}". Use something like 127.0.0.1 or 10.0.0.0/8.`,
      );
    list.addSubnet(address, prefix, version);
  }
  // An IPv4 address that arrives at an IPv6 socket is written as ::ffff:10.0.0.1, which a list of IPv4 contains as well.
  return (ip) => isIP(ip) !== 0 && list.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');
}

function readControlHost(name: string): string {
  const host = readHostName(name);
  if (host === undefined)
    throw new NetworkStartError(
      `controlHosts is not a host name: "${name}". Use something like "network" or "ci.example".`,
    );
  return host;
}

/** All routes of a network; only staging has the controls. */
export function networkRoutes(environment: Environment): readonly NetworkRoute[] {
  const routes = [
    ...recommendationRoutes,
    ...eventRoutes,
    ...channelRoutes,
    ...reportingRoutes,
    ...pageRoutes,
    ...healthRoutes(),
  ];
  return environment === 'staging' ? [...routes, ...controlRoutes] : routes;
}
