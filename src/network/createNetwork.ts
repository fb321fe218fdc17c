import { join } from 'node:path';
import type { Environment } from '../wire/keys.ts';
import { readHostName } from '../guard/readHostName.ts';
import type { NetworkControls } from './context.ts';
import { createFetch, type Caller } from './http/createFetch.ts';
import { logToStderr, type NetworkLog } from './http/log.ts';
import { createMetrics } from './http/createMetrics.ts';
import { networkRoutes, surfaceOf } from './networkRoutes.ts';
import { createRunner } from './runRoute.ts';
import type { SeedKind } from './seed/seed.ts';
import { readSetting, writeSetting } from './settings/settings.ts';
import { firstStart, startOver, type Description, type StartOptions } from './start/firstStart.ts';
import { NetworkStartError } from './start/NetworkStartError.ts';
import { openDatabase } from './start/openDatabase.ts';
import { parseDatetime } from '../wire/parseDatetime.ts';

/** How a network runs. Without `data` and `databaseUrl` it keeps everything in memory. */
export interface NetworkOptions {
  /** A directory for the embedded database. */
  readonly data?: string | undefined;
  readonly memory?: boolean | undefined;
  /** A PostgreSQL server (15 or newer) instead; any number of networks may share it. */
  readonly databaseUrl?: string | undefined;
  readonly environment?: Environment | undefined;
  /** What an empty database begins with. */
  readonly seed?: SeedKind | undefined;
  /** Sets the clock, which then stands still (ISO 8601). */
  readonly now?: string | undefined;
  /** Where callers reach the network; taken from each request unless given. */
  readonly baseUrl?: string | (() => string) | undefined;
  /** Host names besides localhost and 127.0.0.1 at which the staging controls may be called, such as `network` in a container. */
  readonly controlHosts?: readonly string[] | undefined;
  /** In production: issues new first keys and revokes the old. */
  readonly showKeys?: boolean | undefined;
  readonly log?: NetworkLog | undefined;
}

/** A running network. */
export interface Network {
  /** Answers a request; never rejects. `from` says who sent it and how to end the connection. */
  fetch(request: Request, from?: Caller): Promise<Response>;
  readonly environment: Environment;
  /** What the first line of `--json` says, without the address. */
  describe(): Description;
  /** Lets the requests under way end, then closes the database. */
  close(): Promise<void>;
}

/** A whole advertising network on its database: Channel, Recommendations and Reporting APIs, and in staging its controls. */
export async function createNetwork(options: NetworkOptions = {}): Promise<Network> {
  const environment = options.environment ?? 'staging';
  const clock = startClock(options);
  const hosts = (options.controlHosts ?? []).map(readControlHost);
  const data = options.memory === true ? undefined : options.data;
  const db = await openDatabase({ databaseUrl: options.databaseUrl, data });
  try {
    if (clock) await writeSetting(db, 'clock', clock.toISOString());
    const kept = environment === 'staging' ? await readSetting(db, 'clock') : undefined;
    const start: StartOptions = {
      environment,
      seed: options.seed ?? 'demo',
      now: clock ?? (typeof kept === 'string' ? new Date(kept) : new Date()),
      showKeys: options.showKeys === true,
      keyPlace: data === undefined || options.databaseUrl !== undefined ? {} : { file: join(data, 'keys.json') },
    };
    let description = await firstStart(db, start);
    const metrics = createMetrics();
    const controls: NetworkControls = {
      async reset({ seed, now, baseUrl }) {
        description = await startOver(db, { ...start, seed, now });
        return { url: baseUrl, ...description };
      },
      hosts,
      metrics: () => metrics.text(),
    };
    const requests = createFetch({
      routes: networkRoutes(environment),
      run: createRunner({ db, environment, baseUrl: options.baseUrl, controls }),
      surfaceOf,
      metrics,
      log: options.log ?? logToStderr,
    });
    return {
      fetch: requests.fetch,
      environment,
      describe: () => description,
      async close() {
        await requests.drain();
        await db.close();
      },
    };
  } catch (error) {
    await db.close().catch(() => undefined);
    throw error;
  }
}

function startClock({ now, environment }: NetworkOptions): Date | undefined {
  if (now === undefined) return undefined;
  const time = parseDatetime(now);
  if (time === undefined)
    throw new NetworkStartError(`--now is '${now}': write an ISO time such as 2025-11-20T10:30:00Z.`);
  if (environment === 'production')
    throw new NetworkStartError('--now stops the clock, which only a staging network may do.');
  return new Date(time);
}

function readControlHost(name: string): string {
  const host = readHostName(name);
  if (host === undefined)
    throw new NetworkStartError(
      `controlHosts is not a host name: "${name}". Use something like "network" or "ci.example".`,
    );
  return host;
}
