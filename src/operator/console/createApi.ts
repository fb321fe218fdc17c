import { UsageError } from '../../program/ExitError.ts';
import { ChannelClient } from '../clients/ChannelClient.ts';
import { ApiError, failureOf } from '../clients/errors.ts';
import { ReportingClient } from '../clients/ReportingClient.ts';
import { readBody, readChanges, readItems, texts } from './readBody.ts';
import { createReports, type Reports } from './createReports.ts';
import { createWatch } from './createWatch.ts';
import type { ConsoleOptions } from './consoleOptions.ts';
import type { ConsoleContext, ConsolePublisher, ConsoleStatement, ManyExcluded } from './protocol.ts';
import { choosePublishers, findPublishers, listPublishers, withoutKey } from './publisherLists.ts';
import type { Failure } from '../failures.ts';
import { replaceExclusions } from '../operations/changeExclusions.ts';
import { excludeForMany, type ExclusionOutcome } from '../operations/excludeForMany.ts';
import { readPublisher } from '../operations/readPublisher.ts';
import { readStatement, statementCsv } from '../operations/readStatement.ts';
import type { ReportVariant } from '../reports/reportQuery.ts';
import { readKey } from '../../wire/keys.ts';
import { dateOf } from '../../wire/utcDates.ts';
import { toCsv } from '../../text/toCsv.ts';

/** Milliseconds between two reads of a report that includes today. */
const REFRESH_MS = 60_000;
/** A 429 must not end a change of many publishers. */
const MAX_RETRIES = 15;
/**
 * What looks like a key that must never reach a browser. It is replaced, not refused: shoppers choose some names, such as
 * a widget's id, and could otherwise keep the operator from a report. The rest of the JSON stays unchanged.
 */
const LIKE_A_KEY = /adnet_(sk|rk|rp)_[^"\\\s]*/g;

/** What acts with one key. */
interface Clients {
  readonly apiKey: string;
  readonly channel: ChannelClient;
  /** Waits as long as the network asks, for changes that a reader would have to begin again. */
  readonly patient: ChannelClient;
  readonly reporting: ReportingClient<ReportVariant>;
  readonly reports: Reports;
  readonly watch: ReturnType<typeof createWatch>;
}

function openClients(options: ConsoleOptions, apiKey: string): Clients {
  const { networkUrl, variant = 'channel', fetch } = options;
  // The page shows failures and retries calls itself, so that operators know why they wait.
  const shared = { networkUrl, apiKey, maxRetries: 0, fetch };
  const reporting = new ReportingClient<ReportVariant>({ ...shared, variant });
  return {
    apiKey,
    channel: new ChannelClient(shared),
    patient: new ChannelClient({ ...shared, maxRetries: MAX_RETRIES }),
    reporting,
    reports: createReports(reporting, variant),
    watch: createWatch({ ...options, apiKey }),
  };
}

/** A call of the page. */
interface Call extends Clients {
  readonly options: ConsoleOptions;
  readonly request: Request;
  readonly url: URL;
  readonly signal: AbortSignal;
  /** What stands for `:id` in the route. */
  readonly id: string;
}

const ROUTES: Readonly<Record<string, (call: Call) => unknown>> = {
  'GET session': readContext,
  'GET report': ({ reports, url, signal }) => reports.read(url.searchParams, signal),
  'GET report-rows': ({ reports, url }) => reports.rows(url.searchParams),
  'GET report-csv': ({ reports, url, signal }) => reports.csv(url.searchParams, signal),
  'GET statement': readMonth,
  'GET watch': ({ watch, url }) => watch(url),
  'GET categories': ({ channel, signal }) => channel.categories({ signal }),
  'GET exclusions': async ({ channel, signal }) => (await channel.details({ signal })).exclusions.subcategories,
  'GET publishers': ({ channel, ...call }) => listPublishers(channel, call),
  'GET find-publishers': ({ channel, ...call }) => findPublishers(channel, call),
  'GET chosen-publishers': ({ channel, ...call }) => choosePublishers(channel, call),
  'GET publishers/:id': async ({ channel, id, signal }) => {
    const { publisher, ...rest } = await readPublisher(channel, id, { signal });
    return { publisher: withoutKey(publisher), ...rest } satisfies ConsolePublisher;
  },
  // Changes are not cancelled when the page goes away: whether they took effect would be unknown.
  'POST publishers': async ({ patient, request }) => patient.add(readItems(await readBody(request))),
  'DELETE publishers/:id': async ({ channel, id }) => {
    await channel.remove(id);
    return { ok: true };
  },
  'PUT exclusions': putExclusions,
  'PUT publishers/:id/exclusions': putExclusions,
  'POST exclusions-of-many': postExclusionsOfMany,
};

/** Creates the part of the console that calls the network with the key. Takes the path below `api/`. */
export function createApi(options: ConsoleOptions): (request: Request, path: string) => Promise<Response> {
  const { apiKey } = options;
  const readApiKey = typeof apiKey === 'function' ? apiKey : () => apiKey;
  // A mistake in the options is reported when the console starts.
  let clients = openClients(options, readApiKey());

  async function call(request: Request, path: string): Promise<unknown> {
    const route = routeOf(request.method, path);
    if (!route) return json({ kind: 'not_found', message: 'This call does not exist.' }, 404);
    // The key may have been changed meanwhile; what was read with the other one is forgotten.
    const key = readApiKey();
    if (key !== clients.apiKey) clients = openClients(options, key);
    const url = new URL(request.url);
    return route.run({ ...clients, options, request, url, signal: request.signal, id: route.id });
  }

  return async (request, path) => {
    const response = await call(request, path).then(
      (result) => (result instanceof Response ? result : json(result)),
      failed,
    );
    // Nothing above returns a key. Should that change, no response is better than a key.
    const body = await response.text();
    if (body.toLowerCase().includes(clients.apiKey.toLowerCase()))
      return json({ kind: 'failed', message: 'The response contains a key, which must not reach a browser.' }, 502);
    return new Response(body.replace(LIKE_A_KEY, '[key]'), response);
  };
}

/** Finds the route of a call. */
function routeOf(method: string, path: string): { readonly id: string; run(call: Call): unknown } | undefined {
  const parts = path.split('/');
  for (const [route, run] of Object.entries(ROUTES)) {
    const names = route.split(/[ /]/).slice(1);
    if (!route.startsWith(`${method} `) || names.length !== parts.length) continue;
    if (!names.every((name, index) => name === ':id' || name === parts[index])) continue;
    const part = parts[names.indexOf(':id')] ?? '';
    try {
      return { id: decodeURIComponent(part), run };
    } catch {
      return undefined;
    }
  }
  return undefined;
}

async function readContext({ channel, reporting, apiKey, options, signal }: Call): Promise<ConsoleContext> {
  const { networkUrl, variant = 'channel', refresh, currency } = options;
  // A report without metrics has all that are enabled.
  const [details, metrics] = await Promise.all([
    variant === 'channel' ? channel.details({ signal }) : undefined,
    reporting.report({ limit: 1 }, { signal }).then(
      ({ summary }) => Object.keys(summary),
      () => null, // the report itself says why
    ),
  ]);
  return {
    network: new URL(networkUrl).host,
    network_url: new URL(networkUrl).href.replace(/\/+$/, ''),
    environment: readKey(apiKey)?.environment ?? null,
    variant,
    channel: details?.name ?? null,
    metrics,
    refresh_ms: refresh ?? REFRESH_MS,
    currency: currency ?? null,
  };
}

async function readMonth({ channel, reporting, options, url, signal }: Call): Promise<ConsoleStatement> {
  const month = url.searchParams.get('month') ?? '';
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month) || `${month}-01` > dateOf(Date.now()))
    throw new TypeError(`month is not a month that has begun: "${month}".`);
  const reports = reporting as ReportingClient<'channel'>; // a publisher's key has no such page
  const statement = await readStatement({ reports, channel, signal }, month);
  const { rows, columns } = statementCsv(statement, options.currency ?? null);
  return { ...statement, csv: toCsv(rows, { columns }) };
}

/** Replaces a list, unless it is no longer what the page showed. */
async function putExclusions({ channel, request, id, signal }: Call): Promise<object> {
  const body = await readBody(request);
  const [before, after] = [texts(body, 'base'), texts(body, 'subcategory_ids')];
  await replaceExclusions(channel, { publisher: id || undefined, before, after, signal });
  return { ok: true };
}

/** Changes the lists of some publishers, and says what became of each, even when it ends before the last one. */
async function postExclusionsOfMany({ patient, request }: Call): Promise<ManyExcluded> {
  const { kind, changes } = readChanges(await readBody(request));
  const outcomes: ExclusionOutcome[] = [];
  const failure = await excludeForMany(patient, {
    kind,
    changes,
    onOutcome: (index, outcome) => void (outcomes[index] = outcome),
  }).then(() => undefined, explained);
  return { outcomes, ...(failure && { failure }) };
}

/** What a failed call says. Errors of the clients never contain the key. */
function explained(error: unknown): Failure {
  if (error instanceof ApiError) {
    const failure = failureOf(error);
    return failure.kind === 'rate_limited' ? { retry_after: 5, ...failure } : failure;
  }
  // A file that the operator wrote: the message names its line.
  if (error instanceof UsageError) return { kind: 'file', message: error.message };
  // The clients refuse impossible parameters before they send anything.
  if (error instanceof TypeError) return { kind: 'invalid', message: error.message };
  // Other messages could reveal something about this machine.
  return { kind: 'failed', message: 'The call failed.' };
}

function failed(error: unknown): Response {
  const failure = explained(error);
  const isOurs = failure.kind === 'file' || failure.kind === 'invalid';
  return json(failure, error instanceof ApiError && error.status >= 400 ? error.status : isOurs ? 400 : 502);
}

/** A response with a body of JSON. */
function json(body: unknown, status = 200): Response {
  return Response.json(body, { status });
}
