import { expect, test } from 'vitest';
import { batchResponse, batchStatus, parseBatch, type BatchResult } from '../../src/wire/events.ts';

const ok = (index: number): BatchResult => ({ index, success: true });
const bad = (index: number, retryable = true): BatchResult => ({
  index,
  success: false,
  error: { code: 'NO', message: 'no', retryable },
});

test('a batch has 1 to 20 events', () => {
  expect(parseBatch({ events: [1, null, {}] })).toEqual({ ok: true, value: [1, null, {}] });
  expect(parseBatch({ events: Array.from({ length: 20 }) }).ok).toBe(true);
  for (const body of [
    {},
    null,
    [],
    { events: [] },
    { events: {} },
    { events: 'x' },
    { events: Array.from({ length: 21 }) },
  ]) {
    expect(parseBatch(body)).toEqual({
      ok: false,
      problems: [{ path: 'events', message: 'must be an array of 1 to 20 events' }],
    });
  }
});

test('the status of a batch follows from its items', () => {
  expect(batchStatus(batchResponse([ok(0), ok(1)]))).toBe(202);
  expect(batchStatus(batchResponse([ok(0), bad(1)]))).toBe(207);
  expect(batchStatus(batchResponse([bad(0), bad(1)]))).toBe(502);
});

test('the response counts its results', () => {
  expect(batchResponse([ok(0), bad(1), ok(2)])).toEqual({ results: [ok(0), bad(1), ok(2)], accepted: 2, failed: 1 });
});
