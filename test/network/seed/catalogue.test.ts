import { describe, expect, test } from 'vitest';
import { domainKey } from '../../../src/network/channel/addPublishers.ts';
import { DEMO_OFFERS } from '../../../src/network/seed/demoOffers.ts';
import { factRows } from '../../../src/network/seed/seed.ts';
import { history, HISTORY_DAYS } from '../../../src/network/seed/history.ts';
import { DEMO_REQUESTS, DEMO_SHOPS } from '../../../src/network/seed/publishers.ts';
import { categoryIdOf, TAXONOMY } from '../../../src/network/seed/taxonomy.ts';

const NOW = new Date('2026-11-21T14:30:00Z');
const DAY_MS = 24 * 3_600_000;

describe('the catalogue of the demo', () => {
  test('46 offers of fifteen advertisers', () => {
    expect(DEMO_OFFERS.length).toBe(46);
    expect(new Set(DEMO_OFFERS.map(({ advertiser }) => advertiser)).size).toBe(15);
  });

  test('every optional part of an offer occurs', () => {
    const copy = DEMO_OFFERS.map(({ heading, subheading = '' }) => heading + subheading);
    const parts = {
      promo: DEMO_OFFERS.some(({ metadata }) => metadata?.type === 'PROMO_CODE' && metadata.code),
      noPromo: DEMO_OFFERS.some(({ metadata }) => metadata?.type === 'NO_PROMO_CODE'),
      product: DEMO_OFFERS.some(({ assets }) => assets?.some(({ asset_type }) => asset_type === 'PRODUCT')),
      image: DEMO_OFFERS.some(({ assets }) => assets?.some(({ asset_type }) => asset_type === 'IMAGE')),
      several: DEMO_OFFERS.some(({ assets = [] }) => assets.length > 2),
      noSubheading: DEMO_OFFERS.some(({ subheading }) => subheading === undefined),
      disclosure: DEMO_OFFERS.some(({ disclosure_details }) => disclosure_details?.content),
      claimed: DEMO_OFFERS.some(({ cta_details }) => cta_details.claimed_accept_copy && cta_details.transition_copy),
      budget: DEMO_OFFERS.some(({ budget }) => budget),
      long: DEMO_OFFERS.some(({ heading, subheading = '' }) => heading.length > 140 && subheading.length > 320),
      arabic: copy.some((text) => /\p{Script=Arabic}/u.test(text)),
      hebrew: copy.some((text) => /\p{Script=Hebrew}/u.test(text)),
      emoji: copy.some((text) => /\p{Emoji_Presentation}/u.test(text)),
      noLogo: DEMO_OFFERS.some(({ advertiser }) => advertiser === 'fold-and-letter'),
    };
    expect(Object.entries(parts).filter(([, occurs]) => !occurs)).toEqual([]);
  });

  test('offers and publishers name existing subcategories', () => {
    const names = new Set(TAXONOMY.flatMap(({ subcategories }) => subcategories.map(({ name }) => name)));
    for (const { subcategory } of DEMO_OFFERS) expect(names).toContain(subcategory);
    for (const { subcategories } of [...DEMO_SHOPS, ...DEMO_REQUESTS]) {
      const primary = TAXONOMY.find(({ remote_id }) => remote_id === categoryIdOf(subcategories[0]));
      const own = primary?.subcategories.map(({ name }) => name);
      expect(own).toEqual(expect.arrayContaining([...subcategories]));
    }
  });

  test('shops have distinct domains that nobody can own', () => {
    const domains = [...DEMO_SHOPS, ...DEMO_REQUESTS].map(({ domain }) => domainKey(domain));
    for (const domain of domains) expect(domain).toMatch(/\.example$/);
    expect(new Set(domains).size).toBe(domains.length);
  });
});

describe('the history of the demo', () => {
  const cells = history(NOW);
  const sum = (from: number, to: number): number =>
    cells.filter(({ hour }) => hour >= from && hour < to).reduce((total, { loads }) => total + loads, 0);
  const end = Date.parse('2026-11-21T14:00:00Z');

  test('it is the same for the same hour, and another for another', () => {
    const text = (now: string): string => JSON.stringify(history(new Date(now)));
    expect(text('2026-11-21T14:59:59Z') === JSON.stringify(cells)).toBe(true);
    expect(text('2026-11-21T15:00:00Z') === JSON.stringify(cells)).toBe(false);
  });

  test('it covers sixty days and ends at the start of the current hour', () => {
    const hours = cells.map(({ hour }) => hour);
    expect(new Date(Math.max(...hours)).toISOString()).toBe('2026-11-21T13:00:00.000Z');
    expect(Math.min(...hours)).toBe(end - HISTORY_DAYS * DAY_MS);
  });

  test('it grows, has quiet nights, busy weekends and empty hours', () => {
    expect(sum(end - 7 * DAY_MS, end)).toBeGreaterThan(1.2 * sum(end - 60 * DAY_MS, end - 53 * DAY_MS));
    const weekday = (day: number): number =>
      cells.filter(({ hour }) => new Date(hour).getUTCDay() === day).reduce((total, { loads }) => total + loads, 0);
    expect(weekday(0)).toBeGreaterThan(weekday(2));
    const possible = DEMO_SHOPS.reduce((total, { placements }) => total + placements.length, 0) * 24 * HISTORY_DAYS;
    expect(cells.length).toBeLessThan(possible * 0.95);
    expect(cells.length).toBeGreaterThan(possible * 0.5);
  });

  test('no hour has impossible figures', () => {
    const wrong = cells.filter(
      (cell) =>
        cell.widget_displays > cell.loads ||
        cell.viewable_widget_displays > cell.widget_displays ||
        cell.clicks > cell.impressions ||
        cell.conversions > cell.clicks ||
        cell.billable > cell.attributed ||
        cell.billable_with_email > cell.billable ||
        (cell.conversions === 0 && cell.attributed > 0),
    );
    expect(wrong).toEqual([]);
  });

  test('its money is exact: payouts are shares of the billable spend, and the two revenues add up to the payout', () => {
    const units = (text: unknown): number => Math.round(Number(text) * 10_000);
    for (const row of factRows(cells, 'channel').filter(({ conversions }) => Number(conversions) > 0)) {
      expect(row['channel_payout']).toMatch(/^\d+\.\d{4}$/);
      expect(units(row['channel_payout']) * 5).toBe(units(row['billable_ad_spend_amount']));
      expect(units(row['revenue_with_email']) + units(row['revenue_without_email'])).toBe(units(row['channel_payout']));
    }
  });
});
