import type { Environment } from '../wire/keys.ts';
import type { Database } from './database/database.ts';
import type { Fault } from './faults/fault.ts';
import type { Recall } from './http/recall.ts';
import type { KeyRow } from './keys/keyRecord.ts';

/** The knobs of PUT /sandbox/settings; one that is not set is absent. */
export interface NetworkSettings {
  /** Enabled metrics, of either variant; absent: all. */
  readonly enabled_metrics?: readonly string[];
  /** The first date with history, `YYYY-MM-DD`. */
  readonly history_from?: string;
  /** Dates with hourly history, today included. */
  readonly hourly_dates?: number;
  readonly report_row_limit?: number;
  readonly source_row_limit?: number;
  /** Start of the latest hour with data, ISO 8601. */
  readonly data_through?: string;
  /** Parts of the billable spend, as decimals. */
  readonly shares?: { readonly publisher: number; readonly channel: number };
}

/** What a route gets beside the request. */
export interface NetworkContext {
  readonly db: Database;
  readonly environment: Environment;
  /** Unique for this request; also in the answer's x-request-id header. */
  readonly requestId: string;
  /** Where the caller reaches this network, without a slash at the end: `http://127.0.0.1:4600`. */
  readonly baseUrl: string;
  /** The network's time: the clock of POST /sandbox/clock where it stands still, else the machine's. The same for the whole request. */
  now(): Promise<Date>;
  /** The settings in force, read once for each request. */
  settings(): Promise<NetworkSettings>;
  /** The key that the request carries, in force or not; read together with the clock and the settings. */
  caller(): Promise<KeyRow | undefined>;
  /** What the process may remember between requests. */
  readonly recall: Recall;
  /** The address of who sent the request, where the server told it. */
  readonly ip?: string | undefined;
  /** The scripted failure that strikes this request, for the routes that fail in part. */
  readonly fault?: Fault;
  /** What a control may do to the whole network; only staging has controls. */
  readonly controls?: NetworkControls | undefined;
}

/** What the sandbox's controls need of the network itself. */
export interface NetworkControls {
  /** Starts over; answers like the first line of `--json`. */
  reset(options: { readonly seed: 'demo' | 'empty'; readonly now: Date; readonly baseUrl: string }): Promise<unknown>;
  /** Host names besides this machine's own at which the controls may be called. */
  readonly hosts: readonly string[];
  /** What `/sandbox/metrics` shows, in Prometheus text. */
  metrics(): string;
}

/** The values of a pattern's `{names}`, decoded. */
export type RouteParams = Readonly<Record<string, string>>;

/** Answers one path. */
export interface Route {
  /** Methods it answers; for any other the network answers 405. `'*'`: it judges the method itself. */
  readonly methods: readonly string[] | '*';
  /** An exact path; `{name}` stands for one whole segment: `/adnet/publishers/details/{id}/`. */
  readonly pattern: string;
  /** Whose error shape a 404, 405, 413 or 503 has (WIRE.md 5). */
  readonly surface: Surface;
  /** Answers the request, or throws: then the caller gets a 500, or a 503 when the database is gone. */
  handler(request: Request, context: NetworkContext, params: RouteParams): Promise<Response>;
}

/** The interfaces that differ in how they say an error; `sandbox` and `page` say it as `partner` does. */
export type Surface = 'channel' | 'reporting' | 'partner' | 'sandbox' | 'page';
