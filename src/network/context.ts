import { createHash, timingSafeEqual } from 'node:crypto';
import { isObject, own, type Problem } from '../wire/json.ts';
import { type Environment, readKey } from '../wire/keys.ts';
import { type Route, type RouteCall, readJson, partnerRefusal } from './createFetch.ts';
import {
  createProcessCache,
  type ProcessCache,
  readVersions,
  VERSION_NAMES,
  type Versions,
} from './createProcessCache.ts';
import type { Database, Queries } from './database/database.ts';
import { type EventStore, createEventStore } from './events/eventStore.ts';
import { type Fault, applyFault, replacesResponse, takeFault } from './faults.ts';
import type { ReportingSettings } from './settings.ts';

/** What a route gets besides the request. */
export interface NetworkContext {
  readonly db: Database;
  readonly environment: Environment;
  /** Unique per request; also the response's x-request-id header. */
  readonly requestId: string;
  /** The URL at which the caller reaches this network, without a final slash: `http://127.0.0.1:4600`. */
  readonly networkUrl: string;
  /** The network's time: the clock of POST /sandbox/clock while it is stopped, else the machine's. Constant within a request. */
  now(): Promise<Date>;
  /** The settings in force, read once per request. */
  settings(): Promise<ReportingSettings>;
  /** The key that the request carries, in force or not; read together with the clock and the settings. */
  caller(): Promise<KeyRow | undefined>;
  /** The versions of what processes cache, read together with the key. */
  versions(): Promise<Versions>;
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
  reset(options: {
    readonly seed: 'demo' | 'empty';
    readonly now: Date;
    readonly networkUrl: string;
  }): Promise<unknown>;
  /** Host names besides this machine's own at which the controls may be called. */
  readonly hosts: readonly string[];
  /** The body of `/sandbox/metrics`, in Prometheus' text format. */
  metrics(): string;
}

/** A route of the network. */
export type NetworkRoute = Route<NetworkContext>;

/** What a key gives access to. */
export const KEY_KINDS = ['management', 'publishable', 'publisher_reporting', 'integration', 'partner_wide'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** What the network stores about a key. It does not store the key itself. */
export interface KeyRecord {
  readonly id: string;
  readonly kind: KeyKind;
  readonly environment: Environment;
  /** The environment of the network that issued the key: production accepts none that a staging control created. */
  readonly issued_in: Environment;
  readonly channel_id: string;
  /** The publisher_remote_id that a scoped key belongs to. */
  readonly publisher_id: string | null;
  readonly expires_at: Date | null;
}

/** The row of a key, in force or not. */
interface KeyRow extends KeyRecord {
  readonly key_hash: string;
  readonly revoked_at: Date | null;
  /** Whether the publisher that it belongs to was removed from the channel. */
  readonly publisher_removed: boolean;
}

/** What each request reads again, because another process may have changed it. */
interface NetworkState {
  /** The stopped clock, if it is stopped. */
  readonly clock: Date | undefined;
  readonly settings: ReportingSettings;
  readonly versions: Versions;
  /** Whether a scripted fault waits for this path. */
  readonly isFaulty: boolean;
  /** The key that the request carries, if it exists. */
  readonly key: KeyRow | undefined;
}

/** The settings that every request reads. */
const READ_SETTINGS = ['clock', 'reporting', ...VERSION_NAMES].map((name) => `'${name}'`).join(', ');

/**
 * Reads what every request needs, in one statement: the clock, the settings, the versions of what is cached, whether a fault
 * waits for the path, and the key with this hash.
 */
export async function readState(db: Queries, path: string, keyHash: string | undefined): Promise<NetworkState> {
  const [row] = await db.hot<{ settings: unknown; is_faulty: boolean; key: KeyJson | null }>(
    `SELECT (SELECT json_object_agg(name, value) FROM settings WHERE name IN (${READ_SETTINGS})) AS settings,
       EXISTS (SELECT 1 FROM faults WHERE route = $1 AND (remaining IS NULL OR remaining > 0)) AS is_faulty,
       (SELECT json_build_object('id', id, 'key_hash', key_hash, 'kind', kind, 'environment', environment, 'issued_in', issued_in,
          'channel_id', channel_id, 'publisher_id', publisher_id, 'expires_at', expires_at, 'revoked_at', revoked_at,
          'publisher_removed', EXISTS (SELECT 1 FROM publishers WHERE publisher_remote_id = api_keys.publisher_id AND removed_at IS NOT NULL))
        FROM api_keys WHERE key_hash = $2) AS key`,
    [path, keyHash ?? null],
    { isAnywhere: true },
  );
  const settings = row?.settings;
  const clock = own(settings, 'clock');
  const reporting = own(settings, 'reporting');
  return {
    clock: typeof clock === 'string' ? new Date(clock) : undefined,
    settings: isObject(reporting) ? (reporting as ReportingSettings) : {},
    versions: readVersions(settings),
    isFaulty: row?.is_faulty === true,
    key: row?.key
      ? { ...row.key, expires_at: readTime(row.key.expires_at), revoked_at: readTime(row.key.revoked_at) }
      : undefined,
  };
}

/** A key's row as JSON: times as text. */
type KeyJson = Omit<KeyRow, 'expires_at' | 'revoked_at'> & Record<'expires_at' | 'revoked_at', string | null>;

function readTime(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

/** What every request shares. */
interface RunOptions {
  readonly db: Database;
  readonly environment: Environment;
  /** Where callers reach the network; by default each request's own origin. */
  readonly networkUrl?: string | (() => string) | undefined;
  /** Maximum offers in one response. */
  readonly maxOffers?: number | undefined;
  readonly controls: NetworkControls;
}

/** Runs routes: gives each its context, keeps the process's cache true, and lets scripted faults interfere in staging. */
export function createRunner(options: RunOptions): (call: RouteCall<NetworkContext>) => Promise<Response> {
  const { db, environment } = options;
  const shared = { cache: createProcessCache(db.kind === 'pglite'), store: createEventStore(db) };
  const { cache } = shared;

  async function run(call: RouteCall<NetworkContext>): Promise<Response> {
    const { request, route, params, path } = call;
    const context = createContext(call, options, shared);
    const mayFail = environment === 'staging' && route.surface !== 'sandbox' && (await context.state()).isFaulty;
    const fault = mayFail ? await takeFault(db, path) : undefined;
    if (mayFail) cache.clear();
    if (!fault) return route.handler(request, context, params);
    const copy = replacesResponse(fault) && fault.after_commit !== true ? request.clone() : request;
    return applyFault(fault, {
      surface: route.surface,
      drop: call.caller.drop,
      serve: () => route.handler(request, { ...context, fault }, params),
      async refuse() {
        await route.recordRefused?.(copy, context);
      },
    });
  }

  return async (call) => {
    // The Recommendations API changes nothing that is cached but budgets; any other request may.
    if (call.route.surface === 'partner') return run(call);
    cache.clear();
    try {
      return await run(call);
    } finally {
      cache.clear();
    }
  };
}

/** What a route gets. The clock, the settings, the faults and the key are read in one statement, when first needed. */
function createContext(
  { request, path, requestId, caller }: RouteCall<NetworkContext>,
  { db, environment, controls, maxOffers, ...options }: RunOptions,
  { cache, store }: Pick<NetworkContext, 'cache' | 'store'>,
): NetworkContext & { state(): Promise<NetworkState> } {
  const networkUrl = typeof options.networkUrl === 'function' ? options.networkUrl() : options.networkUrl;
  const started = new Date();
  const key = keyOf(request);
  const hash = key ? hashKey(key) : undefined;
  let reading: Promise<NetworkState> | undefined;
  const state = (): Promise<NetworkState> =>
    (reading ??= cache.untilCleared(`state ${hash} ${path}`, () => readState(db, path, hash)));
  return {
    db,
    environment,
    maxOffers,
    cache,
    store,
    requestId,
    networkUrl: (networkUrl ?? new URL(request.url).origin).replace(/\/+$/, ''),
    ip: caller.ip,
    state,
    // The clock is a staging control: production ignores one that a staging network set in the same database.
    now: async () => (environment === 'staging' ? (await state()).clock : undefined) ?? started,
    settings: async () => (await state()).settings,
    caller: async () => (await state()).key,
    versions: async () => (await state()).versions,
    controls: environment === 'staging' ? controls : undefined,
  };
}

/** The key's record, or why the request is refused. */
type Authentication = { readonly ok: true; readonly key: KeyRecord } | { readonly ok: false; readonly message: string };

/** What authentication needs to know about the network and the request. */
interface KeyContext {
  readonly environment: Environment;
  now(): Promise<Date>;
  /** The key that the request carries, in force or not. */
  caller(): Promise<KeyRow | undefined>;
}

/** The key that a request carries. */
export function keyOf(request: Request): string | undefined {
  return request.headers.get('x-api-key')?.trim();
}

/** The SHA-256 of a key in hex, which is what the network stores. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * Identifies the caller by the `x-api-key` header, if the key is of a kind that this route accepts. The message of a refusal
 * is for the caller: it names an environment mismatch, but does not tell unknown, revoked and expired keys apart.
 */
export async function authenticate(
  request: Request,
  context: KeyContext,
  kinds: readonly KeyKind[],
): Promise<Authentication> {
  const key = keyOf(request);
  if (!key) return refuse('The key is missing. Send it in the x-api-key header.');
  const stated = readKey(key);
  if (stated && stated.environment !== context.environment) {
    return refuse(
      `The key environment (${stated.environment}) does not match the service environment (${context.environment}).`,
    );
  }
  const record = await findKey(context, key);
  if (!record) return refuse('The key is invalid, revoked or expired.');
  if (context.environment === 'production' && record.issued_in !== 'production')
    return refuse('A staging network created this key; production does not accept it.');
  return kinds.includes(record.kind) ? { ok: true, key: record } : refuse('This key does not give access to this API.');
}

async function findKey(context: KeyContext, key: string): Promise<KeyRecord | undefined> {
  const row = await context.caller();
  if (!row || !timingSafeEqual(Buffer.from(row.key_hash), Buffer.from(hashKey(key)))) return undefined;
  const isOver = row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= (await context.now()));
  // Removing a publisher from the channel ends its integration (docs/project/rules.md#c24).
  const isOrphan = row.publisher_removed && row.kind !== 'management';
  return isOver || isOrphan || row.environment !== context.environment ? undefined : row;
}

function refuse(message: string): Authentication {
  return { ok: false, message };
}

/** The versions of the Recommendations API that are served: every 1.x.y is the same interface. */
const SUPPORTED_VERSIONS = ['1.0.0'] as const;
const SEMVER = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

/** A valid call, or the response that refuses it. */
type CheckedCall =
  | { readonly ok: true; readonly key: KeyRecord; readonly json: unknown }
  | { readonly ok: false; readonly refusal: Response };

/** Checks what every call of the Recommendations API carries, in this order: key, version, content type, size, JSON (docs/project/rules.md#a1). */
export async function checkCall(request: Request, context: NetworkContext, maxBytes: number): Promise<CheckedCall> {
  const caller = await authenticate(request, context, ['integration', 'partner_wide']);
  if (!caller.ok) return refuseCall(401, caller.message);
  const version = versionProblem(request.headers.get('version'));
  if (version) return refuseCall(400, version, [{ path: 'version', message: version }]);
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') return refuseCall(415, 'The Content-Type must be application/json.');
  const body = await readJson(request, maxBytes);
  return body.ok ? { ok: true, key: caller.key, json: body.json } : refuseCall(body.status, body.message);
}

function refuseCall(status: number, message: string, problems: readonly Problem[] = []): CheckedCall {
  return { ok: false, refusal: partnerRefusal(status, message, problems) };
}

function versionProblem(version: string | null): string | undefined {
  const supported = `Supported versions: ${SUPPORTED_VERSIONS.join(', ')} and every other 1.x.y.`;
  if (version === null) return `The version header is missing. Send something like 1.0.0. ${supported}`;
  const parts = SEMVER.exec(version.trim());
  if (!parts) return `The version header is not a semantic version. Send something like 1.0.0. ${supported}`;
  return parts[1] === '1' ? undefined : `Version ${version.trim().slice(0, 40)} is not supported. ${supported}`;
}
