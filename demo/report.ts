import { ReportingClient } from 'offerlet/clients';
import type { Report } from 'offerlet/clients';
import { WIDGET_ID } from './order-page.ts';

export interface ReportKeys {
  management: string;
  publisher_reporting: string;
}

export interface ShopReport {
  /** What this shop's widget did today, as the channel operator and as the publisher see it. */
  shop: { channel: Record<string, number>; publisher: Record<string, number> };
  /** The whole channel's last days. */
  days: Report['data'];
  updated_at: string;
}

const DAY_METRICS = [
  'feed_loads',
  'widget_displays',
  'impressions',
  'clicks',
  'conversions',
  'channel_payout',
  'ctr',
] as const;

/** The report that the shop's backend reads with its secret keys; only numbers leave this function. */
export function createReport(options: { network: string; keys: ReportKeys }): () => Promise<ShopReport> {
  const channel = new ReportingClient({
    baseUrl: options.network,
    apiKey: options.keys.management,
    variant: 'channel',
  });
  const publisher = new ReportingClient({
    baseUrl: options.network,
    apiKey: options.keys.publisher_reporting,
    variant: 'publisher',
  });
  return async () => {
    const today = new Date().toISOString().slice(0, 10);
    const mine = { from: today, to: today, group_by: ['widget_id'] } as const;
    const [ofChannel, ofPublisher, days] = await Promise.all([
      channel.report({ ...mine, limit: 250 }),
      publisher.report({ ...mine, limit: 250 }),
      channel.report({ metrics: DAY_METRICS, time_grain: 'day' }),
    ]);
    return {
      shop: { channel: numbersOf(ofChannel), publisher: numbersOf(ofPublisher) },
      days: days.data,
      updated_at: new Date().toISOString(),
    };
  };
}

function numbersOf(report: Report): Record<string, number> {
  const row = report.data.find((candidate) => candidate.widget_id === WIDGET_ID) ?? {};
  return Object.fromEntries(
    Object.keys(report.summary).map((metric) => [metric, Number((row as Record<string, unknown>)[metric] ?? 0)]),
  );
}
