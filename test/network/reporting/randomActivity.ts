import * as fc from 'fast-check';
import {
  CHANNEL_GROUPINGS,
  CHANNEL_METRICS,
  PUBLISHER_GROUPINGS,
  PUBLISHER_METRICS,
} from '../../../src/wire/reporting.ts';
import type { Cell, Question } from './model.ts';
import type { Fact } from './reportingFixture.ts';

/** The first date with activity and how many follow: a turn of the year, a leap day. Reports look a little beyond both ends. */
const FIRST = Date.parse('2023-12-18');
const DATES = 80;
/** The moment at which the reports are read. */
export const READ_AT = '2024-03-20T10:30:00Z';
export const COUNTS = [
  'impressions',
  'clicks',
  'conversions',
  'feed_loads',
  'widget_displays',
  'viewable_widget_displays',
];
export const MONEY = [
  'channel_payout',
  'publisher_payout',
  'revenue_with_email',
  'revenue_without_email',
  'order_revenue_amount',
  'attributed_ad_spend_amount',
  'billable_ad_spend_amount',
];
const PAGE_TYPES = ['THANK_YOU', 'CHECKOUT', 'ORDER_TRACKING', 'MODAL', 'ä'];
const WIDGET_TYPES = ['OVERLAY', 'INLINE', 'MODAL'];
const WIDGET_IDS = ['', 'a', 'B', '10', '9', '\u{1F98A}', '\uFFFD'];

/** The smallest amount of money, in millionths: it has four decimals. */
const STEP = 100n;

/** Random cells: small numbers, so that ties, halves and zeros are common; half of them where hourly reports find them. */
export function randomActivity(channel: string, publishers: readonly { id: string; name: string }[]): Cell[] {
  const amount = (max: number): fc.Arbitrary<number> => fc.oneof(fc.constant(0), fc.integer({ min: 0, max }));
  const cell = fc.record({
    publisher: fc.constantFrom(...publishers.keys()),
    hour: fc.oneof(fc.integer({ min: 0, max: DATES * 24 - 1 }), fc.integer({ min: 40 * 24, max: 43 * 24 - 1 })),
    page_type: fc.constantFrom(...PAGE_TYPES),
    widget_type: fc.constantFrom(...WIDGET_TYPES),
    widget_id: fc.constantFrom(...WIDGET_IDS),
    counts: fc.array(amount(40), { minLength: COUNTS.length, maxLength: COUNTS.length }),
    money: fc.array(amount(40_000), { minLength: MONEY.length, maxLength: MONEY.length }),
    weight: fc.constantFrom(0n, 1n, 1n, 1n, 1n), // every fifth cell is all zeros
  });
  const once = new Map(
    fc
      .sample(cell, { numRuns: 500, seed: 20_251_120 })
      .map((one) => [[one.publisher, one.hour, one.page_type, one.widget_type, one.widget_id].join('|'), one]),
  );
  return [...once.values()].map(({ publisher, hour, page_type, widget_type, widget_id, counts, money, weight }) => ({
    channel,
    publisher: publishers[publisher]?.id ?? '',
    publisherName: publishers[publisher]?.name ?? '',
    at: FIRST + hour * 3_600_000,
    page_type,
    widget_type,
    widget_id,
    amounts: Object.fromEntries([
      ...COUNTS.map((name, index) => [name, BigInt(counts[index] ?? 0) * weight * 1_000_000n] as const),
      ...MONEY.map((name, index) => [name, BigInt(money[index] ?? 0) * weight * STEP] as const),
    ]),
  }));
}

/** A cell as the table of facts takes it. */
export function factOf({ channel, publisher, at, page_type, widget_type, widget_id, amounts }: Cell): Fact {
  const exact = Object.entries(amounts).map(([name, micros]) => [
    name,
    COUNTS.includes(name) ? String(micros / 1_000_000n) : decimal(micros),
  ]);
  return {
    channel,
    publisher,
    hour: new Date(at).toISOString(),
    page_type,
    widget_type,
    widget_id,
    ...(Object.fromEntries(exact) as Record<string, string>),
  };
}

function decimal(micros: bigint): string {
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const some = (values: readonly string[], max = values.length): fc.Arbitrary<string[]> =>
  fc.shuffledSubarray([...values], { minLength: 1, maxLength: max });

/** A request about random activity; the variant sets its owner. */
export function randomQuestion(
  holders: { channel: string; publisher: string },
  publisherIds: readonly string[],
): fc.Arbitrary<Question> {
  return fc.constantFrom('channel' as const, 'publisher' as const).chain((variant) => {
    const isChannel = variant === 'channel';
    const filters = { pageTypes: maybe(some([...PAGE_TYPES, 'UNKNOWN'])), widgetTypes: maybe(some(WIDGET_TYPES)) };
    return fc
      .record({
        grain: fc.constantFrom('total' as const, 'day' as const, 'week' as const, 'month' as const, 'hour' as const),
        from: fc.oneof(fc.integer({ min: -5, max: DATES + 5 }), fc.integer({ min: 38, max: 42 })),
        dates: fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 80 })),
        metrics: some(isChannel ? CHANNEL_METRICS : PUBLISHER_METRICS),
        groupBy: fc.oneof(fc.constant<string[]>([]), some(isChannel ? CHANNEL_GROUPINGS : PUBLISHER_GROUPINGS, 3)),
        ...filters,
        publisherIds: isChannel
          ? maybe(some([...publisherIds, ...publisherIds.map((id) => id.toUpperCase())]))
          : fc.constant(undefined),
        sortOrder: maybe(fc.constantFrom('asc' as const, 'desc' as const)),
        sortDirection: isChannel ? maybe(fc.constantFrom('asc' as const, 'desc' as const)) : fc.constant(undefined),
        sortAt: isChannel ? maybe(fc.nat()) : fc.constant(undefined),
        offset: fc.oneof(fc.constant(0), fc.nat({ max: 60 })),
        limit: fc.oneof(fc.constant(250), fc.integer({ min: 1, max: 60 })),
      })
      .map(({ from, dates, sortAt, ...rest }): Question => {
        const columns = [
          'period_start',
          ...rest.metrics,
          ...rest.groupBy.map((name) => (name === 'publisher' ? 'publisher_name' : name)),
        ];
        return {
          ...rest,
          variant,
          holder: holders[variant],
          from: date(from),
          to: date(from + (rest.grain === 'hour' ? Math.min(dates, 3) : dates) - 1),
          ...(sortAt === undefined ? {} : { sortBy: columns[sortAt % columns.length] }),
        };
      })
      .filter(({ to }) => to <= READ_AT.slice(0, 10));
  });
}

/** The request as a query string. */
export function queryOf(question: Question): string {
  const lists = {
    metrics: question.metrics,
    group_by: question.groupBy,
    publisher_ids: question.publisherIds,
    page_types: question.pageTypes,
    widget_types: question.widgetTypes,
  };
  const words = {
    from: question.from,
    to: question.to,
    time_grain: question.grain,
    sort_by: question.sortBy,
    sort_direction: question.sortDirection,
    sort_order: question.sortOrder,
    offset: String(question.offset),
    limit: String(question.limit),
  };
  const all = [
    ...Object.entries(words),
    ...Object.entries(lists).map(([name, list]) => [name, list && list.length > 0 ? list.join() : undefined] as const),
  ];
  return new URLSearchParams(all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))).toString();
}

function date(index: number): string {
  return new Date(FIRST + index * 86_400_000).toISOString().slice(0, 10);
}
