import { expect, test } from 'vitest';
import {
  checkCost,
  collectProblems,
  isCount,
  isNestedDeeper,
  isText,
  parseDatetime,
  problemsText,
  readCappedText,
  readId,
  readUuid,
  toJson,
} from '../../src/wire/json.ts';
import { ID_MAX_LENGTH } from '../../src/wire/limits.ts';

const event = { event_id: 'e1', assets: [{ id: 'a' }, null, 5], nested: { list: ['x'] }, none: undefined };

test('plain data is stringified as usual, also where a page has added a toJSON to arrays', () => {
  const text = '{"event_id":"e1","assets":[{"id":"a"},null,5],"nested":{"list":["x"]}}';
  expect(toJson(event)).toBe(text);
  Reflect.defineProperty(Array.prototype, 'toJSON', { value: () => 'a string', configurable: true });
  try {
    expect(JSON.stringify(['x'])).toBe('"a string"');
    expect(toJson(event)).toBe(text);
  } finally {
    Reflect.deleteProperty(Array.prototype, 'toJSON');
  }
});

test('problems are one sentence, each with its path if it has one', () => {
  const problems = [
    { path: 'a.b', message: 'is missing' },
    { path: '', message: 'is empty' },
  ];
  expect(problemsText(problems)).toBe('a.b is missing; is empty');
});

test.each([
  [null, 0, false],
  [1, 0, false],
  [[], 0, true],
  [[1, { a: null }], 1, true],
  [[1, { a: null }], 2, false],
  [[[], [[]]], 2, true],
  [{ a: null, b: [{}] }, 2, true],
  [{ a: null, b: [{}] }, 3, false],
])('%j nests deeper than %i: %s', (value, levels, isDeeper) => {
  expect(isNestedDeeper(value, levels)).toBe(isDeeper);
});

const UUID = '0190B5A2-7c1d-7000-8000-0123456789ab';

test('a UUID becomes lower case, and nothing else is one', () => {
  expect(readUuid(UUID)).toBe(UUID.toLowerCase());
  const others = [null, [UUID], `x${UUID}`, `${UUID}0`, UUID.replaceAll('-', ''), UUID.replaceAll('0', 'g')];
  expect(others.filter((other) => readUuid(other) !== undefined)).toEqual([]);
});

test('ids, texts and counts are read up to their limits', () => {
  const longest = 'x'.repeat(ID_MAX_LENGTH);
  expect([longest, `${longest}x`, 7, 1.5, ' '].map(readId)).toEqual([longest, undefined, '7', undefined, undefined]);
  expect(['a', ' ', '', 1].map(isText)).toEqual([true, false, false, false]);
  expect([0, 7, -1, 1.5, '7', null, 2 ** 53].map(isCount)).toEqual([true, true, false, false, false, false, false]);
});

test.each([
  ['2026-02-28T23:59:59Z', Date.UTC(2026, 1, 28, 23, 59, 59)],
  ['2024-02-29t00:00:00.5z', Date.UTC(2024, 1, 29) + 500],
  ['2026-01-31T01:00:00+02:00', Date.UTC(2026, 0, 30, 23)],
  ['2026-02-29T00:00:00Z', undefined],
  ['2026-04-31T00:00:00Z', undefined],
  ['2026-01-32T00:00:00Z', undefined],
  ['2026-01-01T25:00:00Z', undefined],
  ['2026-01-01', undefined],
  [['2026-01-01T00:00:00Z'], undefined],
])('%j is the time %s', (text, time) => {
  expect(parseDatetime(text)).toBe(time);
});

test.each([
  [{}, []],
  [{ amount: 0, currency_code: 'eur' }, []],
  [{ amount: '123456789012.5', currency_code: null }, []],
  [{ amount: 1e12, currency_code: 'EURO' }, ['cost.amount', 'cost.currency_code']],
  [{ amount: -1, currency_code: ['EUR'] }, ['cost.amount', 'cost.currency_code']],
  [{ amount: ['1'], currency_code: '' }, ['cost.amount', 'cost.currency_code']],
])('of the cost %j these are wrong: %j', (cost, wrong) => {
  const { problems, addProblem } = collectProblems();
  checkCost(cost, 'cost', addProblem);
  expect(problems.map(({ path }) => path)).toEqual(wrong);
});

test('a body is read whole up to the limit, and not at all beyond it, with streams or without', async () => {
  const streamless = { text: () => Promise.resolve('seventh') };
  expect([await readCappedText(new Response('häuser'), 7), await readCappedText(streamless, 7)]).toEqual([
    'häuser',
    'seventh',
  ]);
  expect([await readCappedText(new Response('häuser'), 6), await readCappedText(streamless, 6)]).toEqual([
    undefined,
    undefined,
  ]);
  expect(await readCappedText(new Response(null, { status: 204 }), 100)).toBe('');
});

test('a body without end is read up to the limit, and cancelled', async () => {
  let sent = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1_000).fill(97 + (sent++ % 2))),
    cancel: () => void (isCancelled = true),
  });
  expect(await readCappedText(new Response(body), 10_500)).toBeUndefined();
  expect(isCancelled).toBe(true);
  expect(sent).toBeLessThan(15);
});
