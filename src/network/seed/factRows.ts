import { type Periods, periodsOf } from '../facts/periodsOf.ts';
import type { HistoryCell } from './history.ts';
import { publisherId } from './publisherRows.ts';

/** Parts of the billable spend, in ten-thousandths: the network's default shares. */
const SHARES = { publisher: 6_000, channel: 2_000 };
const UNIT = 10_000;

/** The rows of the demo's history. */
export function factRows(cells: readonly HistoryCell[], channel_id: string): Readonly<Record<string, unknown>>[] {
  // Periods are computed once per hour: 1,440 times instead of 25,000.
  const periods = new Map<number, Periods>();
  return cells.map((cell) => {
    const period = periods.get(cell.hour) ?? periodsOf(cell.hour);
    periods.set(cell.hour, period);
    const channel_payout = share(cell.billable, SHARES.channel);
    const revenue_with_email = share(cell.billable_with_email, SHARES.channel);
    return {
      publisher_id: publisherId(cell.shop.domain),
      channel_id,
      ...period,
      page_type: cell.placement.page_type,
      widget_type: cell.placement.widget_type,
      widget_id: cell.placement.widget_id ?? '',
      impressions: cell.impressions,
      clicks: cell.clicks,
      conversions: cell.conversions,
      feed_loads: cell.loads,
      widget_displays: cell.widget_displays,
      viewable_widget_displays: cell.viewable_widget_displays,
      channel_payout: money(channel_payout),
      publisher_payout: money(share(cell.billable, SHARES.publisher)),
      revenue_with_email: money(revenue_with_email),
      revenue_without_email: money(channel_payout - revenue_with_email),
      order_revenue_amount: money(cell.order_revenue),
      attributed_ad_spend_amount: money(cell.attributed),
      billable_ad_spend_amount: money(cell.billable),
    };
  });
}

/** Exact: prices are whole cents, so their shares are whole numbers of ten-thousandths. */
function share(amount: number, part: number): number {
  return (amount * part) / UNIT;
}

/** Ten-thousandths as exact decimal text. */
function money(amount: number): string {
  return `${Math.floor(amount / UNIT)}.${String(amount % UNIT).padStart(4, '0')}`;
}
