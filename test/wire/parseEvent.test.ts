import { describe, expect, test } from 'vitest';
import { parseEvent, EVENT_NAMES, type WireEvent } from '../../src/wire/events.ts';

const brand = { offer_id: 'o1', advertiser_id: 'a1', insertion_id: 'i1' };
const load = { event_name: 'WIDGET_LOAD', event_datetime: '2026-11-21T09:00:00.000Z', session_id: 's1' };
const click = {
  ...load,
  event_name: 'BRAND_CLICK',
  event_id: 'e1',
  initiating_target: 'INLINE_ACTION_BUTTON',
  brand_properties: brand,
};

function pathsOf(json: unknown): string[] {
  const parsed = parseEvent(json);
  return parsed.ok ? [] : parsed.problems.map((problem) => problem.path);
}

const about = { ...load, brand_properties: brand };
const product = { ...about, product_properties: { product_id: 'p1' } };
/** The minimal accepted event of each kind. */
const LEAST: Record<(typeof EVENT_NAMES)[number], object> = {
  WIDGET_LOAD: load,
  WIDGET_DISPLAY: { ...load, event_name: 'WIDGET_DISPLAY' },
  WIDGET_VIEW: { ...load, event_name: 'WIDGET_VIEW' },
  BRAND_DISPLAY: { ...about, event_name: 'BRAND_DISPLAY' },
  BRAND_VIEW: { ...about, event_name: 'BRAND_VIEW' },
  BRAND_CLICK: { ...about, event_name: 'BRAND_CLICK' },
  ELEMENT_CLICK: { ...load, event_name: 'ELEMENT_CLICK', initiating_target: 'INLINE_FOOTER_PRIVACY' },
  PRODUCT_DISPLAY: { ...product, event_name: 'PRODUCT_DISPLAY' },
  PRODUCT_VIEW: { ...product, event_name: 'PRODUCT_VIEW' },
  PRODUCT_CLICK: { ...product, event_name: 'PRODUCT_CLICK' },
  CONVERSION: { ...about, event_name: 'CONVERSION', conversion_properties: { conversion_id: 'c1' } },
};

test.each(EVENT_NAMES)('the minimal %s is accepted unchanged', (name) => {
  expect(parseEvent(LEAST[name])).toEqual({ ok: true, value: LEAST[name] });
});

test('a full click is accepted; unknown fields are dropped', () => {
  expect(parseEvent({ ...click, asset_id: 't1', extra: 1 })).toEqual({ ok: true, value: { ...click, asset_id: 't1' } });
});

test('the event name is case-sensitive', () => {
  expect(pathsOf({ ...click, event_name: 'brand_click' })).toEqual(['event_name']);
  expect(pathsOf({ ...click, event_name: 'Brand_Click' })).toEqual(['event_name']);
  expect(pathsOf({ ...click, event_name: 'BRAND_CLICK ' })).toEqual(['event_name']);
});

test.each(['BRAND_DISPLAY', 'BRAND_VIEW', 'BRAND_CLICK', 'PRODUCT_CLICK', 'CONVERSION'] as const)(
  'a %s without brand_properties is refused',
  (name) => {
    expect(pathsOf({ ...LEAST[name], brand_properties: undefined })).toEqual(['brand_properties']);
  },
);

test('brand_properties need all three ids', () => {
  expect(pathsOf({ ...click, brand_properties: { offer_id: 'o1' } })).toEqual([
    'brand_properties.advertiser_id',
    'brand_properties.insertion_id',
  ]);
  expect(pathsOf({ ...click, brand_properties: 'o1' })).toEqual(['brand_properties']);
  expect(pathsOf({ ...click, brand_properties: { ...brand, insertion_id: '  ' } })).toEqual([
    'brand_properties.insertion_id',
  ]);
});

test('an ELEMENT_CLICK has a target, and names the offer when the target is next or back', () => {
  expect(pathsOf({ ...load, event_name: 'ELEMENT_CLICK' })).toEqual(['initiating_target']);
  expect(pathsOf({ ...load, event_name: 'ELEMENT_CLICK', initiating_target: 'INLINE_NAV_FORWARD' })).toEqual([
    'brand_properties',
  ]);
});

test('product events and conversions have their own id', () => {
  expect(pathsOf({ ...LEAST.PRODUCT_VIEW, product_properties: {} })).toEqual(['product_properties.product_id']);
  expect(pathsOf({ ...LEAST.PRODUCT_VIEW, product_properties: null })).toEqual(['product_properties']);
  expect(pathsOf({ ...LEAST.CONVERSION, conversion_properties: {} })).toEqual(['conversion_properties.conversion_id']);
});

test('a conversion has its order and amount', () => {
  const conversion_properties = { conversion_id: 'c1', order_id: '1001', amount: '42.50', currency_code: 'EUR' };
  expect(parseEvent({ ...LEAST.CONVERSION, conversion_properties })).toMatchObject({
    ok: true,
    value: { conversion_properties },
  });
  for (const amount of [0, '0', 999_999_999_999, '0.000000000001', 0.1]) {
    expect(pathsOf({ ...LEAST.CONVERSION, conversion_properties: { conversion_id: 'c1', amount } })).toEqual([]);
  }
  for (const amount of [1e12, Number.NaN, -1, '-1', '1,5', 'x', {}, 1e15, '1'.repeat(99)]) {
    expect(pathsOf({ ...LEAST.CONVERSION, conversion_properties: { conversion_id: 'c1', amount } })).toEqual([
      'conversion_properties.amount',
    ]);
  }
  expect(pathsOf({ ...LEAST.CONVERSION, conversion_properties: { conversion_id: 'c1', currency_code: '€' } })).toEqual([
    'conversion_properties.currency_code',
  ]);
});

describe('event_datetime is RFC 3339', () => {
  test.each([
    '2026-11-21T09:00:00Z',
    '2026-11-21T09:00:00.123456Z',
    '2026-11-21T09:00:00+14:00',
    '2026-11-21t09:00:00z',
    '2024-02-29T00:00:00Z',
  ])('%s', (text) => {
    expect(pathsOf({ ...load, event_datetime: text })).toEqual([]);
  });
  test.each([
    undefined,
    null,
    0,
    1_763_000_000_000,
    '',
    'now',
    '2026-11-21',
    '2026-11-21 09:00:00Z',
    '2026-11-21T09:00:00',
    '2025-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-21T25:00:00Z',
    '2026-11-21T09:61:00Z',
    'Sat, 21 Nov 2026 09:00:00 GMT',
  ])('and never %j', (value) => {
    expect(pathsOf({ ...load, event_datetime: value })).toEqual(['event_datetime']);
  });
});

test('ids are strings of at most 200 characters without control characters; integers become strings', () => {
  for (const session_id of [undefined, null, '', ' ', {}, [], true, 1.5, 'a\u0000b', '\ud800', 'x'.repeat(201)]) {
    expect(pathsOf({ ...load, session_id })).toEqual(['session_id']);
  }
  const parsed = parseEvent({ ...load, session_id: 42, event_id: 7 });
  expect(parsed.ok && parsed.value).toMatchObject({ session_id: '42', event_id: '7' } satisfies Partial<WireEvent>);
});

test('every problem is reported at once', () => {
  expect(pathsOf({})).toEqual(['event_name', 'event_datetime', 'session_id']);
});

test.each([null, undefined, 'x', 5, [], [click]])('an event is an object, not %j', (value) => {
  expect(pathsOf(value)).toEqual(['']);
});
