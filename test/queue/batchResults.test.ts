// The queue settles a 207 by the reading that the relay, the inspector and the sandbox use: this table holds for both.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { readVerdict } from '../../src/queue/settle.ts';
import { readBatchResponse } from '../../src/wire/events.ts';

type Outcome = 'delivered' | 'refused' | 'dead' | 'queued';

/** What the queue makes of each event that was sent. */
function byQueue(body: unknown, sent: number): Outcome[] {
  return readVerdict(207, body, sent).fates.map(([fate]) => fate);
}

/** What the relay, the inspector and the sandbox make of it, in the queue's words. */
function byWire(body: unknown, sent: number): Outcome[] {
  return readBatchResponse(body, sent).map((result) => {
    if (result === 'accepted') return 'delivered';
    if (result === 'unknown') return 'queued';
    return result.retryable ? 'refused' : 'dead';
  });
}

const ok = (index: unknown): object => ({ index, success: true });
const no = (index: unknown, retryable?: unknown): object => ({
  index,
  success: false,
  ...(retryable !== undefined && { error: { code: 'c', message: 'm', retryable } }),
});

const TABLE: readonly (readonly [what: string, results: unknown, outcomes: readonly Outcome[]])[] = [
  ['each result belongs to its index, not its position', [no(2), ok(0), ok(1)], ['delivered', 'delivered', 'refused']],
  ['a failure without a reason may be retried', [ok(0), no(1)], ['delivered', 'refused']],
  ['a failure that may be retried', [ok(0), no(1, true)], ['delivered', 'refused']],
  ['a final failure', [ok(0), no(1, false)], ['delivered', 'dead']],
  ['only the value false is final', [no(0, 'false'), no(1, 0), no(2, null)], ['refused', 'refused', 'refused']],
  ['a missing result', [ok(0)], ['delivered', 'queued']],
  ['a duplicate result, contradicting or not', [ok(0), no(0), ok(1), ok(1), ok(2)], ['queued', 'queued', 'delivered']],
  [
    'an index that is text, negative, fractional or out of range',
    [ok('0'), ok(-1), ok(0.5), ok(9)],
    ['queued', 'queued'],
  ],
  ['success that is neither true nor false', [{ index: 0, success: 'true' }, { index: 1 }], ['queued', 'queued']],
  ['results that are not objects', [null, 'x', 7, [], ok(1)], ['queued', 'delivered']],
  ['results under an inherited name', Object.create({ 0: ok(0) }), ['queued']],
  ['no list of results', { 0: ok(0) }, ['queued']],
  ['an empty list', [], ['queued', 'queued']],
];

it.each(TABLE)('%s', (_, results, outcomes) => {
  expect(byQueue({ results }, outcomes.length)).toEqual(outcomes);
  expect(byWire({ results }, outcomes.length)).toEqual(outcomes);
});

it('a body that is not an object leaves every event queued', () => {
  for (const body of [undefined, null, 'results', 7, [], [ok(0)], { Results: [ok(0)] }]) {
    expect(byQueue(body, 2)).toEqual(['queued', 'queued']);
    expect(byWire(body, 2)).toEqual(['queued', 'queued']);
  }
});

it('both read any body alike', () => {
  const index = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: -1, max: 6 }) },
    fc.constantFrom('0', 0.5, null, NaN),
  );
  const success = fc.constantFrom<unknown>(true, false, true, false, 'true', 1, null, undefined);
  const error = fc.constantFrom<unknown>(
    undefined,
    null,
    {},
    { retryable: false },
    { retryable: true },
    { retryable: 'no' },
    'x',
  );
  const result = fc.oneof(
    { weight: 9, arbitrary: fc.record({ index, success, error }) },
    fc.constantFrom(null, 'x', []),
  );
  fc.assert(
    fc.property(fc.array(result, { maxLength: 12 }), fc.integer({ min: 1, max: 6 }), (results, sent) => {
      expect(byQueue({ results }, sent)).toEqual(byWire({ results }, sent));
    }),
    { numRuns: 2_000 },
  );
});
