import { expect, it, vi } from 'vitest';
import { complete } from '../../src/queue/openCore.ts';
import { toStored } from '../../src/queue/openQueue.ts';

const display = { event_name: 'BRAND_DISPLAY', session_id: 's-1' };

it('adds nothing: the queue fills in a missing id and time', () => {
  expect(toStored(display)).toEqual(display);
});
it('stores every field of the wire format', () => {
  const whole = {
    event_id: 'e-1',
    event_name: 'PRODUCT_CLICK',
    event_datetime: '2026-11-21T09:00:00.000Z',
    session_id: 's-1',
    initiating_target: 'INLINE_TILE',
    brand_properties: { offer_id: 'o', advertiser_id: 'a', insertion_id: 'i' },
    asset_id: 'as',
    product_properties: { product_id: 'p' },
  };
  expect(toStored(whole)).toEqual(whole);
});
it('stores nothing else, at any depth', () => {
  const given = {
    ...display,
    email: 'canary@example.com',
    user_details: { phone: 'canary' },
    conversion_properties: { conversion_id: 'canary', amount: 42 },
    brand_properties: { offer_id: 'o', advertiser_id: 'a', insertion_id: 'i', email_hash: 'canary' },
    product_properties: { product_id: 'p', name: 'canary' },
  };
  expect(JSON.stringify(toStored(given))).not.toContain('canary');
});
it('rejects a conversion with a reason', () => {
  expect(() => toStored({ ...display, event_name: 'CONVERSION' })).toThrow(/servers report a CONVERSION/);
});
it('names the invalid field', () => {
  expect(() => toStored({ ...display, event_name: 'brand_display' })).toThrow('event_name');
  expect(() => toStored({ event_name: 'BRAND_DISPLAY' })).toThrow('session_id');
  expect(() => toStored({ ...display, session_id: 5 })).toThrow('session_id');
  expect(() => toStored({ ...display, event_datetime: 'yesterday' })).toThrow('event_datetime');
  expect(() => toStored({ ...display, asset_id: {} })).toThrow('asset_id');
  expect(() => toStored({ ...display, asset_id: 'x'.repeat(201) })).toThrow('asset_id');
  for (const nothing of [undefined, null, 'x', 5, []]) expect(() => toStored(nothing)).toThrow(TypeError);
});
it('stores the values unchanged on a page where Prototype.js adds toJSON to everything', () => {
  const quoted = { configurable: true, value: () => '"quoted"' };
  const prototypes = [String.prototype, Array.prototype, Date.prototype];
  const before = prototypes.map((each) => Object.getOwnPropertyDescriptor(each, 'toJSON'));
  for (const each of prototypes) Object.defineProperty(each, 'toJSON', quoted);
  try {
    const event = toStored({ ...display, event_id: 'e-1', product_properties: { product_id: 'p' } });
    expect(event).toMatchObject({ ...display, event_id: 'e-1', product_properties: { product_id: 'p' } });
  } finally {
    prototypes.forEach((each, n) => {
      const kept = before[n];
      if (kept) Object.defineProperty(each, 'toJSON', kept);
      else Reflect.deleteProperty(each, 'toJSON');
    });
  }
});
it('ignores inherited properties', () => {
  expect(() => toStored(Object.create(display))).toThrow(TypeError);
});

it('without crypto every event still gets a unique id', () => {
  vi.stubGlobal('crypto', undefined);
  const ids = new Set(
    [...Array(1_000).keys()].map(() => complete(toStored({ event_name: 'WIDGET_LOAD', session_id: 's' }), 0).event_id),
  );
  vi.unstubAllGlobals();
  expect(ids.size).toBe(1_000);
  for (const id of ids) expect(id).toMatch(/^[\w.-]{20,80}$/);
});
