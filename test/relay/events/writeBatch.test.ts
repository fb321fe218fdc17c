import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeEvent } from '../../../src/relay/events/createEventRoutes.ts';
import { parseEvent, EVENT_NAMES, TARGETS } from '../../../src/wire/events.ts';

const id = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
  fc.constantFrom('"', '\\', '</script>', '\u2028', '😀', 'a"b\\c', '\u007F', ' ', 'é'),
);
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const event = fc.record({
  event_name: fc.constantFrom(...EVENT_NAMES.filter((name) => name !== 'CONVERSION')),
  event_datetime: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01t00:00:00+02:00'),
  session_id: id,
  event_id: optional(id),
  initiating_target: optional(fc.constantFrom(...TARGETS)),
  brand_properties: optional(fc.record({ offer_id: id, advertiser_id: id, insertion_id: id })),
  asset_id: optional(id),
  product_properties: optional(fc.record({ product_id: id })),
});

test('an accepted event is written as JSON.stringify would write it', () => {
  let written = 0;
  fc.assert(
    fc.property(event, (fields) => {
      const parsed = parseEvent(JSON.parse(JSON.stringify(fields)));
      if (!parsed.ok) return;
      written += 1;
      const { event_id, ...rest } = parsed.value;
      expect(JSON.parse(writeEvent(parsed.value, true))).toEqual(parsed.value);
      expect(JSON.parse(writeEvent(parsed.value, false))).toEqual(rest);
      expect(event_id === undefined || typeof event_id === 'string').toBe(true);
    }),
    { numRuns: 2_000, seed: 1 },
  );
  expect(written).toBeGreaterThan(200);
});
