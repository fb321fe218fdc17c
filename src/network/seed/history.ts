import { DEMO_OFFERS } from './demoOffers.ts';
import { DEMO_SHOPS, type DemoPlacement, type DemoShop } from './publishers.ts';
import { hash32 } from '../../wire/hash.ts';
import { HOUR_MS } from '../../wire/utcDates.ts';

/** Days of history in the demo. */
export const HISTORY_DAYS = 60;

/** One hour of one placement of one shop. Money is in ten-thousandths of the currency, because whole numbers are exact. */
export interface HistoryCell {
  /** Start of the hour, in milliseconds. */
  hour: number;
  shop: DemoShop;
  placement: DemoPlacement;
  loads: number;
  widget_displays: number;
  viewable_widget_displays: number;
  impressions: number;
  clicks: number;
  conversions: number;
  order_revenue: number;
  attributed: number;
  billable: number;
  /** The part of `billable` from shoppers with an email address. */
  billable_with_email: number;
}

/** A plausible history up to the start of the current hour, with weekly rhythm, growth, nights and empty hours. The same for the same hour. */
export function history(now: Date): HistoryCell[] {
  const end = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS;
  const first = end - HISTORY_DAYS * 24 * HOUR_MS;
  return DEMO_SHOPS.flatMap((shop) => {
    const random = seededRandom(`${shop.domain} ${end}`);
    const cells: HistoryCell[] = [];
    for (let at = first; at < end; at += HOUR_MS) {
      const orders = expectedOrders(shop, at, (at - first) / (end - first));
      for (const placement of shop.placements) {
        const loads = arrivals(orders * placement.share, random);
        if (loads > 0) cells.push(cell({ hour: at, shop, placement, loads }, random));
      }
    }
    return cells;
  });
}

/** Monday first. */
const WEEK = [0.94, 0.9, 0.93, 1, 1.08, 1.12, 1.22];
/** Local midnight first; sums to 24. */
const DAY = [
  0.4, 0.2, 0.1, 0.1, 0.1, 0.2, 0.4, 0.7, 1, 1.2, 1.3, 1.3, 1.4, 1.3, 1.2, 1.1, 1.1, 1.2, 1.5, 1.9, 2.1, 2, 1.4, 0.8,
];
/** How much more traffic the last day has than the first. */
const GROWTH = 0.45;

function expectedOrders(shop: DemoShop, at: number, progress: number): number {
  const local = new Date(at + shop.utc_offset * HOUR_MS);
  const weekday = (local.getUTCDay() + 6) % 7;
  return (shop.orders_a_day / 24) * (WEEK[weekday] ?? 1) * (DAY[local.getUTCHours()] ?? 1) * (1 + GROWTH * progress);
}

/** Clicks per impression: an overlay is noticed more than a box in the page. */
const CLICK_CHANCE: Readonly<Record<DemoPlacement['widget_type'], number>> = {
  OVERLAY: 0.042,
  FULLSCREEN: 0.047,
  PULLUP: 0.029,
  INLINE: 0.021,
};

function cell(start: Pick<HistoryCell, 'hour' | 'shop' | 'placement' | 'loads'>, random: () => number): HistoryCell {
  const widget_displays = successes(start.loads, start.placement.widget_type === 'INLINE' ? 0.81 : 0.97, random);
  const impressions = widget_displays + successes(widget_displays * 2, 0.36, random);
  const clicks = successes(impressions, CLICK_CHANCE[start.placement.widget_type], random);
  const conversions = successes(clicks, 0.17, random);
  return {
    ...start,
    widget_displays,
    viewable_widget_displays: successes(widget_displays, 0.86, random),
    impressions,
    clicks,
    conversions,
    order_revenue: orderTotals(start.loads, start.shop.basket, random),
    ...spending(conversions, random),
  };
}

function orderTotals(orders: number, basket: number, random: () => number): number {
  // Whole cents: order totals have two decimals.
  return Math.round(orders * basket * 100 * (0.85 + 0.3 * random())) * 100;
}

function spending(
  conversions: number,
  random: () => number,
): Pick<HistoryCell, 'attributed' | 'billable' | 'billable_with_email'> {
  const spent = { attributed: 0, billable: 0, billable_with_email: 0 };
  for (let index = 0; index < conversions; index += 1) {
    const price = PRICES[Math.floor(random() * PRICES.length)] ?? 0;
    spent.attributed += price;
    // Sometimes the advertiser's budget was already spent.
    if (random() < 0.03) continue;
    spent.billable += price;
    if (random() < 0.78) spent.billable_with_email += price;
  }
  return spent;
}

const PRICES = DEMO_OFFERS.map((offer) => Math.round(Number(offer.price) * 10_000));

/** Random numbers in [0, 1) that are the same for the same seed, because the history must be the same in every run. */
function seededRandom(seed: string): () => number {
  let state = hash32(seed);
  // mulberry32: one 32-bit word of state. Good enough for plausible data, but never for secrets.
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A random whole number with this mean (Poisson distribution, as for independent arrivals). */
function arrivals(mean: number, random: () => number): number {
  if (mean <= 0) return 0;
  // Above 30 the normal distribution is close enough, and it needs two random numbers instead of thirty.
  if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/** A random number of successes in this many trials with this chance each. */
function successes(trials: number, chance: number, random: () => number): number {
  // The rarer of the two outcomes needs fewer random numbers.
  if (chance > 0.5) return trials - successes(trials, 1 - chance, random);
  return Math.min(trials, arrivals(trials * chance, random));
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
