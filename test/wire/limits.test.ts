import { expect, test } from 'vitest';
import * as limits from '../../src/wire/limits.ts';

test('the relay remembers an event longer than any sender keeps one', () => {
  expect(limits.DEDUPE_MAX_AGE_MS).toBeGreaterThan(limits.QUEUE_MAX_AGE_MS);
});

test('the network takes events older than any sender keeps one', () => {
  expect(limits.EVENT_MAX_AGE_MS).toBeGreaterThan(limits.QUEUE_MAX_AGE_MS);
});
