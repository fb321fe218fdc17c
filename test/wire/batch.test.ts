import { describe, expect, test } from 'vitest';
import { batchResponse, batchStatus, parseBatch, readBatchResponse, type BatchResult } from '../../src/wire/events.ts';

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

describe('results are matched by index', () => {
  test('whatever the order of the results', () => {
    expect(readBatchResponse({ results: [ok(2), bad(0, false), ok(1)] }, 3)).toEqual([
      { code: 'NO', message: 'no', retryable: false },
      'accepted',
      'accepted',
    ]);
  });

  test('a refusal without a reason may be retried', () => {
    for (const error of [undefined, { retryable: 'false' }])
      expect(readBatchResponse({ results: [{ index: 0, success: false, error }] }, 1)).toMatchObject([
        { retryable: true },
      ]);
  });

  test('a missing result is unknown', () => {
    expect(readBatchResponse({ results: [ok(0)] }, 3)).toEqual(['accepted', 'unknown', 'unknown']);
  });

  test('a duplicate result is unknown, whether or not they agree, and however many there are', () => {
    const results = [ok(0), ok(0), ok(0), ok(1), bad(1), bad(2)];
    expect(readBatchResponse({ results }, 3)).toMatchObject(['unknown', 'unknown', { code: 'NO' }]);
  });

  test('string, fractional and foreign indexes are ignored', () => {
    const results = [{ index: '0', success: true }, ok(0.5), ok(-1), ok(2), ok(1e9)];
    expect(readBatchResponse({ results }, 2)).toEqual(['unknown', 'unknown']);
  });

  test('a success that is not true or false is unknown', () => {
    const results = [{ index: 0, success: 'true' }, { index: 1, success: 1 }, { index: 2 }, null, 'x'];
    expect(readBatchResponse({ results }, 3)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  test('an unreadable body leaves everything unknown', () => {
    for (const body of [undefined, null, 'ok', [], {}, { results: {} }, { results: null }]) {
      expect(readBatchResponse(body, 2)).toEqual(['unknown', 'unknown']);
    }
  });
});
