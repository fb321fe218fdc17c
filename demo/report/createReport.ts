import { ReportingClient, ReportingUnavailableError, type Report } from 'offerlet-operator';
import {
  COUNTS,
  DAY_COLUMNS,
  PAYOUT,
  SERIES,
  type Numbers,
  type Sample,
  type SeriesName,
  type ShopReport,
} from './metrics.ts';
import { WIDGET_ID } from '../placement/placement.ts';

/** The secret keys of the shop's backend. They stay on the server. */
export interface ShopKeys {
  readonly management: string;
  readonly publisher_reporting: string;
  readonly integration: string;
}

/** Reads the network's two reports about the shop. */
export interface ShopReports {
  /** Returns what happened since the count began, and on request the channel's last days. Contains only numbers. */
  read(options?: { days: boolean }): Promise<ShopReport>;
  /** Restarts the count. */
  restart(): Promise<void>;
}

/** The chart reaches back ten minutes; samples are kept a little longer, so that its first bar is complete. */
const KEEP_MS = 11 * 60_000;
/** How often a sample is kept while nothing changes: the chart needs to know that nothing happened. */
const QUIET_MS = 10_000;
/** The publisher report leaves this page type out. */
const CHANNEL_ONLY = 'ORDER_TRACKING';
const DAY_METRICS = DAY_COLUMNS.map(({ metric }) => metric);

interface Reading {
  readonly channel: Numbers;
  readonly publisher: Numbers;
  readonly tracking: Numbers;
}

/** Reads both reports of this shop's widget with its secret keys, and remembers the last minutes. */
export function createReport(options: { network: string; keys: ShopKeys; now?: () => number }): ShopReports {
  const { network, keys, now = Date.now } = options;
  const channel = new ReportingClient({ networkUrl: network, apiKey: keys.management, variant: 'channel' });
  const publisher = new ReportingClient({
    networkUrl: network,
    apiKey: keys.publisher_reporting,
    variant: 'publisher',
  });
  const samples: Sample[] = [];
  let since = now();
  let start: Promise<Reading> | undefined = readBoth();
  start.catch(() => (start = undefined)); // read again on the next call

  /** Reads both reports. Without dates they cover the last seven, whatever the network's clock says. */
  async function readBoth(): Promise<Reading> {
    const mine = { group_by: ['widget_id', 'page_type'], limit: 250 } as const;
    const [ofChannel, ofPublisher] = await Promise.all([
      channel.report(mine).catch(noneYet),
      publisher.report(mine).catch(noneYet),
    ]);
    return {
      channel: sum(ofChannel, (page) => page !== CHANNEL_ONLY),
      publisher: sum(ofPublisher, () => true),
      tracking: sum(ofChannel, (page) => page === CHANNEL_ONLY),
    };
  }

  async function begin(): Promise<Reading> {
    samples.length = 0;
    since = now();
    start = readBoth();
    return start;
  }

  return {
    async read({ days: isWanted } = { days: false }) {
      let first = await (start ?? begin());
      const [latest, days] = await Promise.all([
        readBoth(),
        isWanted ? channel.report({ metrics: DAY_METRICS, time_grain: 'day' }).catch(() => undefined) : undefined,
      ]);
      // The network was reset, or its clock was set back: the earlier counts are gone.
      if (isLess(latest, first)) {
        first = { channel: {}, publisher: {}, tracking: {} };
        samples.length = 0;
        start = Promise.resolve(first);
      }
      const shop = {
        channel: minus(latest.channel, first.channel),
        publisher: minus(latest.publisher, first.publisher),
      };
      const tracking = minus(latest.tracking, first.tracking);
      remember(samples, { at: now(), counts: countsOf(shop.channel, tracking) }, since);
      return {
        shop,
        tracking,
        samples,
        days: days?.data ?? [],
        total: days?.summary ?? {},
        since: new Date(since).toISOString(),
        updated_at: new Date(now()).toISOString(),
      };
    },
    async restart() {
      await begin();
    },
  };
}

/** Ignores that a network without activity has no report. */
function noneYet(error: unknown): undefined {
  if (!(error instanceof ReportingUnavailableError)) throw error;
}

/** Adds up the widget's rows. Metrics that are not enabled are left out. */
function sum(report: Report | undefined, isWanted: (pageType: string) => boolean): Numbers {
  const total: Record<string, number> = {};
  if (!report) return total;
  for (const row of report.data) {
    if (row['widget_id'] !== WIDGET_ID || !isWanted(String(row['page_type']))) continue;
    for (const metric of Object.keys(report.summary)) total[metric] = add(total[metric] ?? 0, Number(row[metric] ?? 0));
  }
  return total;
}

function minus(latest: Numbers, first: Numbers): Numbers {
  return Object.fromEntries(
    Object.entries(latest).map(([metric, value]) => [metric, add(value, -(first[metric] ?? 0))]),
  );
}

/** Adds two amounts without floating-point noise. */
function add(one: number, other: number): number {
  return Math.round((one + other) * 10_000) / 10_000;
}

function isLess(latest: Reading, first: Reading): boolean {
  return [...COUNTS, PAYOUT].some(
    (line) =>
      (latest.channel[line.channel] ?? 0) < (first.channel[line.channel] ?? 0) ||
      (latest.publisher[line.publisher] ?? 0) < (first.publisher[line.publisher] ?? 0),
  );
}

function countsOf(channel: Numbers, tracking: Numbers): Record<SeriesName, number> {
  const count = (name: SeriesName): number => {
    const metric = COUNTS.find((line) => line.name === name)?.channel ?? '';
    return (channel[metric] ?? 0) + (tracking[metric] ?? 0);
  };
  return Object.fromEntries(SERIES.map((name) => [name, count(name)])) as Record<SeriesName, number>;
}

/** Keeps the samples that the chart needs: every change, and from time to time that nothing changed. */
function remember(samples: Sample[], sample: Sample, since: number): void {
  const nothing = Object.fromEntries(SERIES.map((name) => [name, 0])) as Record<SeriesName, number>;
  if (samples.length === 0) samples.push({ at: since, counts: nothing });
  const last = samples.at(-1);
  const isNews = last === undefined || SERIES.some((name) => last.counts[name] !== sample.counts[name]);
  if (isNews || sample.at - (last?.at ?? 0) >= QUIET_MS) samples.push(sample);
  while (samples.length > 1 && (samples[1]?.at ?? Infinity) < sample.at - KEEP_MS) samples.shift();
}
