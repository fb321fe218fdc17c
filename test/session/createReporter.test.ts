import { expect, test } from 'vitest';
import type { TrackedEvent } from '../../src/queue/events.ts';
import type { PageEvent } from '../../src/session/openTrace.ts';
import { createReporter } from '../../src/session/createReporter.ts';
import type { Asset, PlacedOffer } from '../../src/wire/offers/response.ts';

const offer = { insertion_id: 'i', offer_id: 'o', advertiser_id: 'a' } as PlacedOffer;
const asset = { id: 'p', asset_type: 'PRODUCT' } as Asset;
const brand_properties = { offer_id: 'o', advertiser_id: 'a', insertion_id: 'i' };

function setUp() {
  const tracked: TrackedEvent[] = [];
  const ids: (string | undefined)[] = [];
  const heard: PageEvent[] = [];
  const names = new Set<string>();
  const clock = { now: 0 };
  const dismissed: string[] = [];
  const reporter = createReporter({
    session_id: 's',
    track({ event_id, ...event }) {
      tracked.push(event);
      ids.push(event_id);
    },
    emit: (event) => void heard.push(event),
    onDismissed: () => void dismissed.push('dismissed'),
    now: () => clock.now,
    once: (name) => !names.has(name) && Boolean(names.add(name)),
  });
  return { reporter, tracked, ids, heard, clock, dismissed, sent: () => tracked.map(({ event_name }) => event_name) };
}

test('an offer that is viewed was displayed, the widget before it, and loaded before that', () => {
  const { reporter, sent } = setUp();
  reporter.seen('view', offer);
  reporter.seen('display');
  reporter.seen('display', offer);
  expect(sent()).toEqual(['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_VIEW']);
});

test('a click on something that no observer has reported yet displays it first', () => {
  const { reporter, sent } = setUp();
  reporter.acted({ type: 'accept', offer });
  expect(sent()).toEqual(['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_CLICK']);
});

test('a second click within 500 ms is the same click, a later one is not', () => {
  const { reporter, clock, heard, sent } = setUp();
  for (const now of [0, 300, 900]) {
    clock.now = now;
    reporter.acted({ type: 'accept', offer });
    reporter.acted({ type: 'footer', link: 'brand' });
  }
  expect(sent().filter((name) => name === 'BRAND_CLICK')).toHaveLength(2);
  expect(heard.map(({ type }) => type).filter((type) => type !== 'display')).toEqual([
    'click',
    'footer',
    'click',
    'footer',
  ]);
});

test('a dismissal is remembered before it is reported', () => {
  const { reporter, heard, dismissed } = setUp();
  reporter.dismissed('escape');
  expect([dismissed, heard]).toEqual([['dismissed'], [{ type: 'dismiss', by: 'escape' }]]);
});

test('each action has the target and the properties of docs/project/wire.md#events', () => {
  const { reporter, tracked } = setUp();
  reporter.acted({ type: 'accept', offer });
  reporter.acted({ type: 'accept', offer, asset });
  reporter.acted({ type: 'decline', offer });
  reporter.acted({ type: 'next', offer });
  reporter.acted({ type: 'back', offer });
  reporter.acted({ type: 'footer', link: 'brand' });
  reporter.acted({ type: 'footer', link: 'privacy' });
  reporter.acted({ type: 'product', offer, asset });
  const session_id = 's';
  expect(tracked.slice(3)).toEqual([
    { event_name: 'BRAND_CLICK', session_id, initiating_target: 'INLINE_ACTION_BUTTON', brand_properties },
    { event_name: 'BRAND_CLICK', session_id, initiating_target: 'INLINE_ASSET_TILE', brand_properties, asset_id: 'p' },
    { event_name: 'ELEMENT_CLICK', session_id, initiating_target: 'INLINE_NAV_FORWARD', brand_properties },
    { event_name: 'ELEMENT_CLICK', session_id, initiating_target: 'INLINE_NAV_FORWARD', brand_properties },
    { event_name: 'ELEMENT_CLICK', session_id, initiating_target: 'INLINE_NAV_BACKWARD', brand_properties },
    { event_name: 'ELEMENT_CLICK', session_id, initiating_target: 'INLINE_FOOTER_BRAND' },
    { event_name: 'ELEMENT_CLICK', session_id, initiating_target: 'INLINE_FOOTER_PRIVACY' },
    {
      event_name: 'PRODUCT_DISPLAY',
      session_id,
      initiating_target: 'INLINE_TILE',
      brand_properties,
      product_properties: { product_id: 'p' },
    },
    {
      event_name: 'PRODUCT_CLICK',
      session_id,
      initiating_target: 'INLINE_TILE',
      brand_properties,
      product_properties: { product_id: 'p' },
    },
  ]);
});

test('the widget’s own events carry no target', () => {
  const { reporter, tracked } = setUp();
  reporter.loaded();
  reporter.loaded();
  reporter.seen('view');
  expect(tracked).toEqual([
    { event_name: 'WIDGET_LOAD', session_id: 's' },
    { event_name: 'WIDGET_DISPLAY', session_id: 's' },
    { event_name: 'WIDGET_VIEW', session_id: 's' },
  ]);
});

test('the page gets displays, clicks and the rest under separate names', () => {
  const { reporter, heard } = setUp();
  reporter.seen('view', offer);
  reporter.acted({ type: 'accept', offer });
  reporter.acted({ type: 'copy', offer });
  reporter.acted({ type: 'decline', offer });
  expect(heard.map(({ type }) => type)).toEqual(['display', 'view', 'click', 'copy', 'decline']);
  expect(heard[0]).toEqual({ type: 'display', session_id: 's', ...brand_properties });
});

test('an event that counts once has the same id in every window; an event that can happen again has none yet', () => {
  const report = () => {
    const { reporter, ids } = setUp();
    reporter.seen('view', offer);
    reporter.seen('view', offer, asset);
    reporter.seen('view', { ...offer, insertion_id: 'other' });
    return ids;
  };
  const ids = report();
  expect(report()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  const { reporter, ids: clicks } = setUp();
  reporter.acted({ type: 'accept', offer });
  expect(clicks.at(-1)).toBeUndefined();
});
