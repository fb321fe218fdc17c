import { expect, test } from 'vitest';
import { toJson } from '../../src/wire/json.ts';

const event = { event_id: 'e1', assets: [{ id: 'a' }, null, 5], nested: { list: ['x'] }, none: undefined };

test('plain data is stringified as usual', () => {
  expect(toJson(event)).toBe('{"event_id":"e1","assets":[{"id":"a"},null,5],"nested":{"list":["x"]}}');
});

test('a toJSON that a page added to arrays does not turn them into strings', () => {
  Reflect.defineProperty(Array.prototype, 'toJSON', { value: () => 'a string', configurable: true });
  try {
    expect(JSON.stringify(['x'])).toBe('"a string"');
    expect(toJson(event)).toBe('{"event_id":"e1","assets":[{"id":"a"},null,5],"nested":{"list":["x"]}}');
  } finally {
    Reflect.deleteProperty(Array.prototype, 'toJSON');
  }
});
