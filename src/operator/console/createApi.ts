import { ExitError, UsageError } from '../../cli/ExitError.ts';
import { ChannelClient } from '../clients/ChannelClient.ts';
import {
  AuthError,
  ConflictError,
  DateRangeError,
  MetricNotAvailableError,
  ApiError,
  NotFoundError,
  RateLimitError,
  ReportChangedError,
  ReportingUnavailableError,
  RowLimitError,
  UnreachableError,
  ValidationError,
} from '../clients/errors.ts';
import { ReportingClient } from '../clients/ReportingClient.ts';
import { createChangeApi, json, noSuchCall, readBody, readExclusionChange, readItems } from './createChangeApi.ts';
import { createReports } from './createReports.ts';
import { createWatch } from './createWatch.ts';
import type {
  ConsoleContext,
  ConsolePublisher,
  ConsolePublishers,
  FoundPublishers,
  CallFailure,
  FailureCode,
} from './protocol.ts';
import { hasWords, rankByWords } from '../publishers/rankByWords.ts';
import type { ReportVariant } from '../reports/reportQuery.ts';
import type { Publisher, PublisherDetail } from '../../wire/channel.ts';
import { readKey } from '../../wire/keys.ts';

/** The options of `createOperatorConsole`. */
export interface ConsoleOptions {
  /** The network's URL. */
  readonly networkUrl: string;
  /** A secret management key, or a publisher's reporting key. It stays in this process. */
  readonly apiKey: string;
  /** `channel` with a management key (the default), `publisher` with a publisher's reporting key. */
  readonly variant?: ReportVariant | undefined;
  /** The path at which the console is mounted; `/` by default. */
  readonly basePath?: string | undefined;
  /** Milliseconds between two reads of a report that includes today; 60,000 by default. */
  readonly refresh?: number | undefined;
  /** Whether pages of the console's own origin may show it in a frame; false by default. A page that frames it can mislead clicks. */
  readonly allowFrame?: boolean | undefined;
  /** Host names besides this machine's own at which the console may be called, for containers. */
  readonly hosts?: readonly string[] | undefined;
  /** The file with the rules of the page *Watch*; by default those that `watch --init` prints. It is read on each call. */
  readonly rules?: string | undefined;
  /** The label of amounts, such as EUR: the APIs name none. */
  readonly currency?: string | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Milliseconds between two reads of a report that includes today. */
const REFRESH_MS = 60_000;
/**
 * What looks like a key that must never reach a browser. It is replaced, not refused: shoppers choose some names, such as
 * a widget's id, and could otherwise keep the operator from a report. The rest of the JSON stays unchanged.
 */
const LIKE_A_KEY = /adnet_(sk|rk|rp)_[^"\\\s]*/g;

/** Creates the part of the console that calls the network with the key. Takes the path below `api/`. */
export function createApi(options: ConsoleOptions): (request: Request, path: string) => Promise<Response> {
  const { networkUrl, apiKey, variant = 'channel' } = options;
  // The page shows failures and retries calls itself, so that operators know why they wait.
  const shared = { networkUrl, apiKey, maxRetries: 0, fetch: options.fetch };
  const channel = new ChannelClient(shared);
  const reporting = new ReportingClient<ReportVariant>({ ...shared, variant });
  const watch = createWatch(options);
  const reports = createReports(reporting, variant);
  const environment = readKey(apiKey)?.environment ?? null;
  const changes = createChangeApi(channel);

  async function session(signal: AbortSignal): Promise<ConsoleContext> {
    const isChannel = variant === 'channel';
    // A report without metrics has all that are enabled.
    const [details, metrics] = await Promise.all([
      isChannel ? channel.details({ signal }) : undefined,
      reporting.report({ limit: 1 }, { signal }).then(
        ({ summary }) => Object.keys(summary),
        () => null, // the report itself says why
      ),
    ]);
    return {
      network: new URL(networkUrl).host,
      network_url: new URL(networkUrl).href.replace(/\/+$/, ''),
      environment,
      variant,
      channel: details?.name ?? null,
      metrics,
      refresh_ms: options.refresh ?? REFRESH_MS,
      currency: options.currency ?? null,
    };
  }

  async function call(request: Request, path: string): Promise<unknown> {
    const { signal } = request;
    const url = new URL(request.url);
    const id = publisherOf(path);
    switch (`${request.method} ${id === undefined ? path : path.replace(/^publishers\/[^/]+/, 'publishers/ID')}`) {
      case 'GET session':
        return session(signal);
      case 'GET report':
        return reports.read(url.searchParams, signal);
      case 'GET report-csv':
        return reports.csv(url.searchParams, signal);
      case 'GET watch':
        return watch(url, signal);
      case 'GET categories':
        return { categories: await channel.categories({ signal }) };
      case 'GET exclusions':
        return (await channel.details({ signal })).exclusions.subcategories;
      case 'GET publishers':
        return listPublishers(channel, { url, signal });
      case 'GET find-publishers':
        return findPublishers(channel, { url, signal });
      case 'GET publishers/ID':
        return readPublisher(channel, id ?? '', signal);
      // Changes are not cancelled when the page goes away: whether they took effect would be unknown.
      case 'POST publishers':
        return changes.add(readItems(await readBody(request)));
      case 'DELETE publishers/ID':
        return changes.remove(id ?? '');
      case 'PUT exclusions':
      case 'PUT publishers/ID/exclusions':
        return changes.exclude({ ...readExclusionChange(await readBody(request)), publisher: id, signal });
      default:
        return noSuchCall();
    }
  }

  return async (request, path) => {
    const response = await call(request, path).then(
      (result) => (result instanceof Response ? result : json(result)),
      (error: unknown) => {
        const { status, failure } = failureOf(error);
        return json(failure, status);
      },
    );
    // Nothing above returns a key. Should that change, no response is better than a key.
    const body = await response.text();
    if (body.toLowerCase().includes(apiKey.toLowerCase()))
      return json({ code: 'failed', message: 'The response contains a key, which must not reach a browser.' }, 502);
    return new Response(body.replace(LIKE_A_KEY, '[key]'), response);
  };
}

function publisherOf(path: string): string | undefined {
  const segment = /^publishers\/([^/]+)(?:\/exclusions)?$/.exec(path)?.[1];
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Publishers on one page of the list. */
const PAGE_SIZE = 50;

/** GET publishers: one page of those whose name contains a word, and with that status. Names with more of the words come first. */
async function listPublishers(
  client: ChannelClient,
  { url, signal }: { readonly url: URL; readonly signal: AbortSignal },
): Promise<ConsolePublishers> {
  const q = url.searchParams.get('q')?.trim() || undefined;
  const status = url.searchParams.get('status') || undefined;
  const page = Math.max(1, Number(url.searchParams.get('page')) || 1);
  if (status === undefined && !hasWords(q)) {
    const list = await client.publishers({ q, page, pageSize: PAGE_SIZE }, { signal });
    return { count: list.count, page, page_size: PAGE_SIZE, publishers: list.publishers.map(withoutKey) };
  }
  // The API has no filter for the status, and does not rank what matches: all pages are read.
  const matching: Publisher[] = [];
  for await (const publisher of client.allPublishers({ q }, { signal }))
    if (status === undefined || publisher.status === status) matching.push(withoutKey(publisher));
  const found = rankByWords(matching, q);
  const start = (page - 1) * PAGE_SIZE;
  return { count: found.length, page, page_size: PAGE_SIZE, publishers: found.slice(start, start + PAGE_SIZE) };
}

/** GET find-publishers: approved publishers whose name contains a word. With one word, reading stops when enough are found. */
async function findPublishers(
  client: ChannelClient,
  { url, signal }: { readonly url: URL; readonly signal: AbortSignal },
): Promise<FoundPublishers> {
  const q = url.searchParams.get('q')?.trim() || undefined;
  const most = Math.max(1, Number(url.searchParams.get('most')) || PAGE_SIZE);
  const found: Publisher[] = [];
  for await (const publisher of client.allPublishers({ q, status: 'APPROVED' }, { signal })) {
    if (publisher.publisher_remote_id !== null) found.push(publisher);
    if (found.length > most && !hasWords(q)) break;
  }
  const publishers = rankByWords(found, q)
    .slice(0, most)
    .flatMap(({ publisher_remote_id: id, brand_name: name }) => (id === null ? [] : [{ id, name }]));
  return { publishers, hasMore: found.length > most };
}

/** GET publishers/ID. */
async function readPublisher(client: ChannelClient, id: string, signal: AbortSignal): Promise<ConsolePublisher> {
  const [publisher, channel] = await Promise.all([client.publisher(id, { signal }), client.details({ signal })]);
  return { publisher: withoutKey(publisher), channel_exclusions: channel.exclusions.subcategories.channel };
}

/** No key at all reaches the page, not even a publishable one. */
function withoutKey(publisher: Publisher | PublisherDetail): Publisher {
  const { api_key: _key, ...rest } = { api_key: null, ...publisher };
  return rest;
}

/** Errors whose message is for people, and reveals nothing about this machine. */
const MESSAGES = [ApiError, ExitError];

/** Returns the status and the body for a failed call. Errors of the clients never contain the key. */
function failureOf(error: unknown): { readonly status: number; readonly failure: CallFailure } {
  const status = error instanceof ApiError && error.status >= 400 ? error.status : 502;
  if (!(error instanceof Error)) return { status, failure: { code: 'failed', message: 'The call failed.' } };
  // A file that the operator wrote: the message names its line.
  if (error instanceof UsageError) return { status: 400, failure: { code: 'file', message: error.message } };
  // The clients refuse impossible parameters before they send anything.
  if (error instanceof TypeError) return { status: 400, failure: { code: 'invalid', message: error.message } };
  const failure: CallFailure = {
    code: codeOf(error),
    message: MESSAGES.some((Kind) => error instanceof Kind) ? error.message : 'The call failed.',
    ...(error instanceof ApiError && error.requestId !== undefined ? { request_id: error.requestId } : {}),
    ...(error instanceof RateLimitError ? { retry_after: error.retryAfter ?? 5 } : {}),
    ...(error instanceof DateRangeError ? { window: error.available_window } : {}),
    ...(error instanceof MetricNotAvailableError ? { unsupported_metrics: error.unsupported_metrics } : {}),
    ...(error instanceof ValidationError ? { fields: error.fields } : {}),
  };
  return { status, failure };
}

function codeOf(error: Error): FailureCode {
  if (error instanceof AuthError) return 'key_refused';
  if (error instanceof RateLimitError) return 'rate_limited';
  if (error instanceof RowLimitError) return 'too_large';
  if (error instanceof DateRangeError) return 'outside_history';
  if (error instanceof MetricNotAvailableError) return 'metric_not_available';
  if (error instanceof ReportingUnavailableError) return 'no_data';
  if (error instanceof ReportChangedError || error instanceof ConflictError) return 'changed';
  if (error instanceof UnreachableError) return 'unreachable';
  if (error instanceof NotFoundError) return 'not_found';
  if (error instanceof ValidationError) return 'invalid';
  // A gateway responds for a network that is down.
  return error instanceof ApiError && error.status >= 502 && error.status <= 504 ? 'unreachable' : 'failed';
}
