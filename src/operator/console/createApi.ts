import { UsageError } from '../../cli/ExitError.ts';
import { ChannelClient } from '../clients/ChannelClient.ts';
import { ApiError, failureOf } from '../clients/errors.ts';
import { readWholeReport, ReportingClient } from '../clients/ReportingClient.ts';
import { readBody, readItems, texts } from './readBody.ts';
import { createReports } from './createReports.ts';
import { createWatch } from './createWatch.ts';
import type { ConsoleOptions } from './consoleOptions.ts';
import type { ConsoleContext, ConsolePublisher, ConsolePublishers, FoundPublishers } from './protocol.ts';
import type { Failure } from '../failures.ts';
import { replaceExclusions } from '../operations/changeExclusions.ts';
import { readPublisher } from '../operations/readPublisher.ts';
import { hasAllWords } from '../publishers/hasAllWords.ts';
import type { ReportVariant } from '../reports/reportQuery.ts';
import { EVERYTHING, NO_FILTERS } from '../reports/reportSpec.ts';
import { type Publisher, type PublisherDetail, PUBLISHER_STATUSES } from '../../wire/channel.ts';
import { oneOf } from '../../wire/json.ts';
import { readKey } from '../../wire/keys.ts';

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
      case 'GET report-rows':
        return reports.rows(url.searchParams);
      case 'GET report-csv':
        return reports.csv(url.searchParams, signal);
      case 'GET watch':
        return watch(url, signal);
      case 'GET categories':
        return channel.categories({ signal });
      case 'GET exclusions':
        return (await channel.details({ signal })).exclusions.subcategories;
      case 'GET publishers':
        return listPublishers(channel, { url, signal, reporting });
      case 'GET find-publishers':
        return findPublishers(channel, { url, signal });
      case 'GET publishers/ID': {
        const { publisher, ...rest } = await readPublisher(channel, id ?? '', { signal });
        return { publisher: withoutKey(publisher), ...rest } satisfies ConsolePublisher;
      }
      // Changes are not cancelled when the page goes away: whether they took effect would be unknown.
      case 'POST publishers':
        return channel.add(readItems(await readBody(request)));
      case 'DELETE publishers/ID':
        await channel.remove(id ?? '');
        return { ok: true };
      case 'PUT exclusions':
      case 'PUT publishers/ID/exclusions': {
        const body = await readBody(request);
        // What the page showed, and what it wants instead.
        const [before, after] = [texts(body, 'base'), texts(body, 'subcategory_ids')];
        await replaceExclusions(channel, { publisher: id, before, after, signal });
        return { ok: true };
      }
      default:
        return json({ kind: 'not_found', message: 'This call does not exist.' }, 404);
    }
  }

  return async (request, path) => {
    const response = await call(request, path).then(
      (result) => (result instanceof Response ? result : json(result)),
      failed,
    );
    // Nothing above returns a key. Should that change, no response is better than a key.
    const body = await response.text();
    if (body.toLowerCase().includes(apiKey.toLowerCase()))
      return json({ kind: 'failed', message: 'The response contains a key, which must not reach a browser.' }, 502);
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

/** Milliseconds that the list waits for its clicks. */
const CLICKS_MS = 3_000;
/** Publishers on one page of the list. */
const PAGE_SIZE = 50;

type ListedPublisher = ConsolePublishers['publishers'][number];

/** What the list can be sorted by; with a hyphen before it, the highest first. Otherwise the newest are first, as the API has them. */
const ORDERS: Readonly<Record<string, (publisher: ListedPublisher) => string>> = {
  name: ({ brand_name }) => brand_name,
  added: ({ created_at }) => created_at,
  clicks: ({ clicks }) => String(clicks ?? ''),
};
const byText = new Intl.Collator('en', { numeric: true });

/** GET publishers: one page of those whose name contains every word, with that status and in that order. */
async function listPublishers(
  client: ChannelClient,
  { url, signal, reporting }: { url: URL; signal: AbortSignal; reporting: ReportingClient<ReportVariant> },
): Promise<ConsolePublishers> {
  const text = (name: string): string => url.searchParams.get(name)?.trim() ?? '';
  const [q, sort] = [text('q'), text('sort')];
  const page = Math.max(1, Number(text('page')) || 1);
  const isQuiet = text('status') === 'NO_CLICKS';
  const status = isQuiet ? 'APPROVED' : oneOf(PUBLISHER_STATUSES, text('status'));
  const order = ORDERS[sort.replace(/^-/, '')];
  const all = isQuiet || sort.endsWith('clicks') ? await readClicks(reporting, { signal }) : undefined;
  const withClicks = (publisher: Publisher, clicks = all): ListedPublisher => {
    const id = publisher.publisher_remote_id;
    return { ...withoutKey(publisher), clicks: clicks && id !== null ? (clicks.get(id) ?? 0) : null };
  };
  let list: { readonly count: number; readonly publishers: readonly Publisher[] };
  if (status || order || /\s/.test(q)) {
    // The API has no filter for the status and no order, and one word is enough for it: all pages are read.
    const found: ListedPublisher[] = [];
    for await (const publisher of client.allPublishers({ q: q || undefined, status }, { signal })) {
      const one = withClicks(publisher);
      if (hasAllWords(one.brand_name, q) && !(isQuiet && one.clicks)) found.push(one);
    }
    if (order) found.sort((a, b) => byText.compare(order(a), order(b)) * (sort.startsWith('-') ? -1 : 1));
    list = { count: found.length, publishers: found.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE) };
  } else list = await client.publishers({ q: q || undefined, page, pageSize: PAGE_SIZE }, { signal });
  const ids = list.publishers.flatMap(({ publisher_remote_id: id }) => id ?? []);
  // Where they fail or take long, the list is shown without them.
  const soon = AbortSignal.any([signal, AbortSignal.timeout(CLICKS_MS)]);
  const clicks =
    all ?? (ids.length === 0 ? undefined : await readClicks(reporting, { ids, signal: soon }).catch(() => undefined));
  const publishers = list.publishers.map((publisher) => withClicks(publisher, clicks));
  return { count: list.count, page, page_size: PAGE_SIZE, publishers };
}

/** The clicks of publishers in the last 28 days, by id; those without any have no row. */
async function readClicks(
  reader: ReportingClient<ReportVariant>,
  { ids = [], signal }: { readonly ids?: readonly string[]; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, number>> {
  const what = { period: 'last_28_days', by: ['publisher'], metrics: ['clicks'], sort: '-clicks' } as const;
  const filters = { ...NO_FILTERS, publisher: ids };
  const { rows } = await readWholeReport(reader, { ...EVERYTHING, ...what, filters }, { signal });
  return new Map(rows.map((row) => [String(row['publisher_id']), Number(row['clicks'])]));
}

/** GET find-publishers: approved publishers whose name contains every word. Reading stops when enough are found. */
async function findPublishers(
  client: ChannelClient,
  { url, signal }: { readonly url: URL; readonly signal: AbortSignal },
): Promise<FoundPublishers> {
  const q = url.searchParams.get('q')?.trim() ?? '';
  const most = Math.max(1, Number(url.searchParams.get('most')) || PAGE_SIZE);
  const found: { id: string; name: string }[] = [];
  for await (const publisher of client.allPublishers({ q: q || undefined, status: 'APPROVED' }, { signal })) {
    const { publisher_remote_id: id, brand_name: name } = publisher;
    if (id !== null && hasAllWords(name, q)) found.push({ id, name });
    if (found.length > most) break;
  }
  return { publishers: found.slice(0, most), hasMore: found.length > most };
}

/** No key at all reaches the page, not even a publishable one. */
function withoutKey(publisher: Publisher | PublisherDetail): Publisher {
  const { api_key: _key, ...rest } = { api_key: null, ...publisher };
  return rest;
}

/** Returns the status and the body for a failed call. Errors of the clients never contain the key. */
function failed(error: unknown): Response {
  const status = error instanceof ApiError && error.status >= 400 ? error.status : 502;
  if (error instanceof ApiError) {
    const failure = failureOf(error);
    return json(failure.kind === 'rate_limited' ? { retry_after: 5, ...failure } : failure, status);
  }
  const failure = (kind: Failure['kind'], message: string): Failure => ({ kind, message });
  // A file that the operator wrote: the message names its line.
  if (error instanceof UsageError) return json(failure('file', error.message), 400);
  // The clients refuse impossible parameters before they send anything.
  if (error instanceof TypeError) return json(failure('invalid', error.message), 400);
  // Other messages could reveal something about this machine.
  return json(failure('failed', 'The call failed.'), 502);
}

/** A response with a body of JSON. */
function json(body: unknown, status = 200): Response {
  return Response.json(body, { status });
}
