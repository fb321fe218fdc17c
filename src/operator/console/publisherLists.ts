import type { ChannelClient } from '../clients/ChannelClient.ts';
import { RowLimitError } from '../clients/errors.ts';
import type { ReportingClient } from '../clients/ReportingClient.ts';
import { readWholeReport } from '../clients/readWholeReport.ts';
import type { ConsolePublishers, FoundPublishers, PublisherOrder } from './protocol.ts';
import { readExcludedPublishers, type ExcludedPublisher } from '../operations/excludeForMany.ts';
import { hasAllWords } from '../publishers/hasAllWords.ts';
import type { ReportVariant } from '../reports/reportQuery.ts';
import { EVERYTHING, NO_FILTERS } from '../reports/reportSpec.ts';
import { chunksOf, IDS_PER_REQUEST } from '../clients/walkParts.ts';
import { type Publisher, type PublisherDetail, PUBLISHER_STATUSES } from '../../wire/channel.ts';
import { oneOf } from '../../wire/json.ts';

/** Milliseconds that the list waits for its clicks. */
const CLICKS_MS = 3_000;
/** Publishers on one page of the list. */
const PAGE_SIZE = 50;

type ListedPublisher = ConsolePublishers['publishers'][number];

/** How rows compare; with a hyphen before it, the highest first. Otherwise the newest are first, as the API has them. */
const ORDERS: Readonly<Record<PublisherOrder, (publisher: ListedPublisher) => string>> = {
  name: ({ brand_name }) => brand_name,
  added: ({ created_at }) => created_at,
  clicks: ({ clicks }) => String(clicks ?? ''),
};
const byText = new Intl.Collator('en', { numeric: true });

/** GET publishers: one page of those whose name contains every word, with that status and in that order. */
export async function listPublishers(
  client: ChannelClient,
  { url, signal, reporting }: { url: URL; signal: AbortSignal; reporting: ReportingClient<ReportVariant> },
): Promise<ConsolePublishers> {
  const text = (name: string): string => url.searchParams.get(name)?.trim() ?? '';
  const [q, sort] = [text('q'), text('sort')];
  const page = Math.max(1, Number(text('page')) || 1);
  const isQuiet = text('status') === 'NO_CLICKS';
  const status = isQuiet ? 'APPROVED' : oneOf(PUBLISHER_STATUSES, text('status'));
  const order = Object.entries(ORDERS).find(([name]) => name === sort.replace(/^-/, ''))?.[1];
  const all =
    isQuiet || sort.endsWith('clicks')
      ? await readClicks(reporting, {
          signal,
          all: async () => (await readExcludedPublishers(client, { signal })).map(({ id }) => id),
        })
      : undefined;
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

/** The clicks of publishers in the last 28 days, by id; those without any have no row. `all` is read when one report is too small. */
async function readClicks(
  reader: ReportingClient<ReportVariant>,
  { ids = [], all, signal }: ClicksOptions,
): Promise<ReadonlyMap<string, number>> {
  const what = { period: 'last_28_days', by: ['publisher'], metrics: ['clicks'], sort: '-clicks' } as const;
  const filters = { ...NO_FILTERS, publisher: ids };
  try {
    const { rows } = await readWholeReport(reader, { ...EVERYTHING, ...what, filters }, { signal });
    return new Map(rows.map((row) => [String(row['publisher_id']), Number(row['clicks'])]));
  } catch (error) {
    if (!(error instanceof RowLimitError) || !all) throw error;
    const clicks = new Map<string, number>();
    for (const some of chunksOf(await all(), IDS_PER_REQUEST))
      for (const [id, count] of await readClicks(reader, { ids: some, signal })) clicks.set(id, count);
    return clicks;
  }
}

interface ClicksOptions {
  readonly ids?: readonly string[];
  readonly signal: AbortSignal;
  all?(): Promise<readonly string[]>;
}

/** GET find-publishers: approved publishers whose name contains every word. Reading stops when enough are found. */
export async function findPublishers(
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

/** GET chosen-publishers: all approved publishers whose name contains every word, with what the channel excludes for them. */
export async function choosePublishers(
  client: ChannelClient,
  { url, signal }: { readonly url: URL; readonly signal: AbortSignal },
): Promise<readonly ExcludedPublisher[]> {
  const q = url.searchParams.get('q') ?? '';
  return (await readExcludedPublishers(client, { signal })).filter(({ name }) => hasAllWords(name, q));
}

/** No key at all reaches the page, not even a publishable one. */
export function withoutKey(publisher: Publisher | PublisherDetail): Publisher {
  const { api_key: _key, ...rest } = { api_key: null, ...publisher };
  return rest;
}
