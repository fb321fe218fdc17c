import type { Environment } from '../wire/keys.ts';
import type { Database } from './database/database.ts';
import type { Fault } from './faults/fault.ts';
import type { ProcessCache } from './http/processCache.ts';
import type { Route } from './http/route.ts';
import type { EventStore } from './eventStore/createEventStore.ts';
import type { KeyRow } from './keys/keyRecord.ts';
import type { ReportingSettings } from './settings/settings.ts';

/** What a route gets besides the request. */
export interface NetworkContext {
  readonly db: Database;
  readonly environment: Environment;
  /** Unique per request; also the response's x-request-id header. */
  readonly requestId: string;
  /** The URL at which the caller reaches this network, without a final slash: `http://127.0.0.1:4600`. */
  readonly baseUrl: string;
  /** The network's time: the clock of POST /sandbox/clock while it is stopped, else the machine's. Constant within a request. */
  now(): Promise<Date>;
  /** The settings in force, read once per request. */
  settings(): Promise<ReportingSettings>;
  /** The key that the request carries, in force or not; read together with the clock and the settings. */
  caller(): Promise<KeyRow | undefined>;
  /** Maximum offers in one response; `MAX_OFFERS` by default. */
  readonly maxOffers?: number | undefined;
  /** What this process caches between requests. */
  readonly cache: ProcessCache;
  /** Stores events. */
  readonly store: EventStore;
  /** The caller's IP address, where the server knows it. */
  readonly ip?: string | undefined;
  /** The scripted fault that affects this request, for routes that fail in part. */
  readonly fault?: Fault | undefined;
  /** What a control may do to the whole network; staging only. */
  readonly controls?: NetworkControls | undefined;
}

/** What the sandbox controls need from the network itself. */
export interface NetworkControls {
  /** Starts over; returns what the first line of `--json` says. */
  reset(options: { readonly seed: 'demo' | 'empty'; readonly now: Date; readonly baseUrl: string }): Promise<unknown>;
  /** Host names besides this machine's own at which the controls may be called. */
  readonly hosts: readonly string[];
  /** The body of `/sandbox/metrics`, in Prometheus' text format. */
  metrics(): string;
}

/** A route of the network. */
export type NetworkRoute = Route<NetworkContext>;
