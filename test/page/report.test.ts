import { expect, test } from 'vitest';
import type { TrackedEvent } from '../../src/queue/events.ts';
import type { PageEvent } from '../../src/page/pageEvent.ts';
import { createReport } from '../../src/page/report.ts';
import type { Asset, PlacedOffer } from '../../src/wire/offers/response.ts';

const offer = { insertion_id: 'i', offer_id: 'o', advertiser_id: 'a' } as PlacedOffer;
const asset = { id: 'p', asset_type: 'PRODUCT' } as Asset;
const brand_properties = { offer_id: 'o', advertiser_id: 'a', insertion_id: 'i' };

function setUp() {
  const tracked: TrackedEvent[] = [];
  const heard: PageEvent[] = [];
  const names = new Set<string>();
  const report = createReport({
    session_id: 's',
    track: (event) => void tracked.push(event),
    emit: (event) => void heard.push(event),
    once: (name) => !names.has(name) && Boolean(names.add(name)),
  });
  return { report, tracked, heard, sent: () => tracked.map(({ event_name }) => event_name) };
}

test('an offer that is viewed was displayed, and the widget before it', () => {
  const { report, sent } = setUp();
  report.seen({ kind: 'offer', offer }, 'view');
  report.seen({ kind: 'widget' }, 'display');
  report.seen({ kind: 'offer', offer }, 'display');
  expect(sent()).toEqual(['WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_VIEW']);
});

test('a click on what no observer has told of yet displays it first', () => {
  const { report, sent } = setUp();
  report.acted({ type: 'accept', offer });
  expect(sent()).toEqual(['WIDGET_DISPLAY', 'BRAND_DISPLAY', 'BRAND_CLICK']);
});

test('each action has the target and the properties of the wire’s table', () => {
  const { report, tracked } = setUp();
  report.acted({ type: 'accept', offer });
  report.acted({ type: 'accept', offer, asset });
  report.acted({ type: 'decline', offer });
  report.acted({ type: 'next', offer });
  report.acted({ type: 'back', offer });
  report.acted({ type: 'footer', link: 'brand' });
  report.acted({ type: 'footer', link: 'privacy' });
  report.acted({ type: 'product', offer, asset });
  const session_id = 's';
  expect(tracked.slice(2)).toEqual([
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
  const { report, tracked } = setUp();
  report.loaded();
  report.loaded();
  report.seen({ kind: 'widget' }, 'view');
  expect(tracked).toEqual([
    { event_name: 'WIDGET_LOAD', session_id: 's' },
    { event_name: 'WIDGET_DISPLAY', session_id: 's' },
    { event_name: 'WIDGET_VIEW', session_id: 's' },
  ]);
});

test('the page hears of impressions, clicks and the rest by names of its own', () => {
  const { report, heard } = setUp();
  report.seen({ kind: 'offer', offer }, 'view');
  report.acted({ type: 'accept', offer });
  report.acted({ type: 'copy', offer });
  report.acted({ type: 'decline', offer });
  expect(heard.map(({ type }) => type)).toEqual(['impression', 'view', 'click', 'copy', 'decline']);
  expect(heard[0]).toEqual({ type: 'impression', session_id: 's', ...brand_properties });
});
