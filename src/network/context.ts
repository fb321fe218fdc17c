import { createHash, timingSafeEqual } from 'node:crypto';
import { partnerError } from '../wire/errors.ts';
import { isNestedDeeper, type Problem, readCapped } from '../wire/json.ts';
import { type Environment, readKey } from '../wire/keys.ts';
import type { RouteFault } from '../wire/scenarios/scenarios.ts';
import type { ProcessCache, Versions } from './createProcessCache.ts';
import type { Database } from './database/database.ts';
import type { Billing } from './events/createBilling.ts';
import type { EventStore } from './events/eventStore.ts';
import type { ReportingSettings } from './settings.ts';

/** The interfaces that report errors in different shapes; `sandbox` and `page` use the shape of `partner`. */
export type Surface = 'channel' | 'reporting' | 'partner' | 'sandbox' | 'page';

/** The surface of a path that no route matches, which decides the shape of its 404. */
export function surfaceAt(path: string): Surface {
  if (path.startsWith('/api/') || path.startsWith('/adnet/reporting/') || path.startsWith('/analysis/'))
    return 'reporting';
  if (path.startsWith('/adnet/')) return 'channel';
  return path.startsWith('/sandbox/') ? 'sandbox' : 'partner';
}

/** The values of a pattern's `{names}`, decoded. */
export type RouteParams = Readonly<Record<string, string>>;

/** One path and how to respond to its requests. */
export interface NetworkRoute {
  /** Methods it accepts; any other gets a 405. `'*'`: the handler checks the method itself. */
  readonly methods: readonly string[] | '*';
  /** An exact path. `{name}` matches one whole segment: `/adnet/publishers/details/{id}/`. */
  readonly pattern: string;
  /** Decides the shape of a 404, 405, 500 or 503. */
  readonly surface: Surface;
  /** Responds to a request. If it throws, the caller gets a 500, or a 503 when the database is unavailable. */
  handler(request: Request, context: NetworkContext, params: RouteParams): Promise<Response>;
  /** Records a request to which a scripted fault responds in the handler's place. */
  recordRefused?(request: Request, context: NetworkContext): Promise<void>;
}

/** Who sent a request. */
export interface RequestSource {
  /** Its IP address, where the server knows it. */
  readonly ip?: string | undefined;
  /** Ends the connection without a response, as a scripted fault may require. */
  readonly drop?: (() => void) | undefined;
}

/** What a network counts: requests, whose `value` is their milliseconds, and what became of the events in them. */
export interface NetworkMetric {
  readonly name: 'request' | 'events_accepted' | 'events_refused';
  readonly value: number;
  readonly method?: string;
  /** The route's pattern, never the path with its values. */
  readonly route?: string;
  readonly status?: number;
}

/** What a network is like at the moment. */
export interface NetworkGauge {
  readonly name: 'database_busy' | 'database_waiting' | 'billing_due';
  readonly value: number;
  /** The connections of a server: those of requests, or of reports and other long reads. */
  readonly pool?: 'requests' | 'reads';
}

/** Gets a measurement. */
export type NetworkMeasure = (metric: NetworkMetric) => void;

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
  readonly measure: NetworkMeasure;
  /** Bills what they have earned in these sessions, after the response. */
  readonly bill: Billing['bill'];
  /** Logs an error that the request does not fail with. */
  noteFailure(error: unknown): void;
  /** The caller's IP address, where the server knows it. */
  readonly ip?: string | undefined;
  /** The scripted fault that affects this request, for routes that fail in part. */
  readonly fault?: Pick<RouteFault, 'fail_indexes' | 'retryable'> | undefined;
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
  /** Sends a request to this network, as over HTTP. */
  call(request: Request): Promise<Response>;
  /** The integration key of the first publisher, which a staging network keeps readable. */
  integrationKey(): string | undefined;
  /** Host names besides this machine's own at which the controls may be called. */
  readonly hosts: readonly string[];
}

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
export interface KeyRow extends KeyRecord {
  readonly key_hash: string;
  readonly revoked_at: Date | null;
  /** Whether the publisher that it belongs to was removed from the channel. */
  readonly publisher_removed: boolean;
}

/** The key's record, or why the request is refused. */
type Authentication = { readonly ok: true; readonly key: KeyRecord } | { readonly ok: false; readonly message: string };

/** The key that a request carries. */
export function readApiKeyHeader(request: Request): string | undefined {
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
  context: Pick<NetworkContext, 'environment' | 'now' | 'caller'>,
  kinds: readonly KeyKind[],
): Promise<Authentication> {
  const key = readApiKeyHeader(request);
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

async function findKey(
  context: Pick<NetworkContext, 'environment' | 'now' | 'caller'>,
  key: string,
): Promise<KeyRecord | undefined> {
  const row = await context.caller();
  if (!row || !timingSafeEqual(Buffer.from(row.key_hash), Buffer.from(hashKey(key)))) return undefined;
  const isOver = row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= (await context.now()));
  // Removing a publisher from the channel ends its integration (src/network/contract/rules.md#c24).
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

/** Checks what every call of the Recommendations API carries, in this order: key, version, content type, size, JSON (src/network/contract/rules.md#a1). */
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

/** An error response in the shape of its surface (docs/project/wire.md#errors). */
export function surfaceError(
  surface: Surface,
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Response {
  return Response.json(body(surface, status, message), { status, headers: headers ?? {} });
}

function body(surface: Surface, status: number, message: string): unknown {
  switch (surface) {
    case 'reporting':
      return { detail: message };
    case 'channel':
      return status === 404 || status === 409 ? { error: message } : { detail: message };
    case 'partner':
    case 'sandbox':
    case 'page':
      return { message };
  }
}

/** An error response of the Recommendations API, which the sandbox controls use as well. */
export function partnerRefusal(status: number, message: string, problems: readonly Problem[] = []): Response {
  return Response.json(partnerError(message, problems), { status });
}

/** Maximum nesting of lists and objects: more than a relay lets through, and well below what overflows a stack. */
const MAX_DEPTH = 100;

/** A body's JSON value, or the error status and message. */
type JsonBody =
  | { readonly ok: true; readonly json: unknown }
  | { readonly ok: false; readonly status: 400 | 413; readonly message: string };

/** Reads a JSON body of at most `maxBytes`, and stops reading above that. */
export async function readJson(request: Request, maxBytes: number): Promise<JsonBody> {
  const tooLarge = { ok: false, status: 413, message: `The body is larger than ${maxBytes} bytes.` } as const;
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge;
  const bytes = await readCapped(request.body, maxBytes);
  if (!bytes) return tooLarge;
  try {
    const json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
    if (!isNestedDeeper(json, MAX_DEPTH)) return { ok: true, json };
    return { ok: false, status: 400, message: `The body is nested more than ${MAX_DEPTH} levels deep.` };
  } catch {
    return { ok: false, status: 400, message: 'The body is not valid JSON in UTF-8.' };
  }
}
