import { expect, test } from 'vitest';
import { advance, type Causes } from '../../../src/operator/watch/evaluate.ts';
import { judge, type Facts } from '../../../src/operator/watch/judge.ts';
import type { Rule } from '../../../src/operator/watch/rules.ts';
import { addDays } from '../../../src/wire/utcDates.ts';

const FIRST = '2026-09-07'; // a Monday
const shared = { by: 'publisher', minimum: 100, except: [] } as const;
const change: Rule = {
  ...shared,
  kind: 'change',
  name: 'drop',
  metric: 'clicks',
  below: -0.3,
  above: undefined,
  weeks: 4,
};
const silent: Rule = { ...shared, kind: 'silent', name: 'silent', metric: 'clicks', days: 2 };

/** Clicks of one publisher on the days from FIRST on. */
function factsOf(clicks: readonly number[], more: Partial<Facts> = {}): Facts {
  const days = new Map(clicks.map((value, index) => [addDays(FIRST, index), value]));
  return {
    from: FIRST,
    dataEnd: 0,
    subjects: () => new Map([['p', 'Acme']]),
    value: (_by, _id, metric, date) => (metric === 'clicks' ? (days.get(date) ?? 0) : 1_000),
    requests: [],
    removed: new Set(),
    ...more,
  };
}

/** Judges each day from the 28th on, and returns what is said: the index of the day and the event. */
function play(rule: Rule, clicks: readonly number[], { holidays = [] as string[], more = {} as Partial<Facts> } = {}) {
  let causes: Causes = new Map();
  const said: [number, string, string][] = [];
  for (let index = 28; index < clicks.length; index++) {
    const day = addDays(FIRST, index);
    const judgements = judge(rule, {
      facts: factsOf(clicks, more),
      day,
      holidays: new Set(holidays),
      now: 0,
      open: () => [...causes.values()],
    });
    const next = advance(causes, { day, rules: [rule.name], judgements });
    causes = next.causes;
    for (const { event, cause } of next.turns) said.push([index, event, cause.text]);
  }
  return { said, causes };
}

const usual = (days: number, value = 200): number[] => Array.from({ length: days }, () => value);

test('a drop is said once, with its numbers, and so is its end', () => {
  const { said } = play(change, [...usual(30), 120, 120, 120, ...usual(5)]);
  expect(said).toEqual([
    [
      30,
      'began',
      'Clicks on Wed, 7 Oct 2026: 120 against 200 usual (median of 200, 200, 200, 200 on the same weekday of the weeks before), −40%; the limit is −30%.',
    ],
    [
      33,
      'recovered',
      'Clicks on Sat, 10 Oct 2026: 200 against 200 usual (median of 200, 200, 200, 200 on the same weekday of the weeks before), +0%; the limit is −30%.',
    ],
  ]);
});

test('a value that moves around the limit is one cause, not one a day', () => {
  const { said } = play(change, [...usual(30), 135, 145, 138, 142, 139, 145, 138]);
  expect(said.map(([index, event]) => [index, event])).toEqual([[30, 'began']]);
});

test('each weekday is compared with itself, and one odd week does not count', () => {
  const week = [300, 300, 300, 300, 300, 110, 110];
  const weeks = [...week, ...week, ...usual(7, 0), ...week, ...week];
  expect(play(change, weeks).said).toEqual([]);
});

test('a small publisher does not cry, and a new one is not judged', () => {
  expect(play(change, [...usual(30, 90), 0, 0]).said).toEqual([]);
  expect(play(silent, [...usual(30, 90), 0, 0, 0]).said).toEqual([]);
  expect(play(change, [...usual(20, 0), ...usual(10), 0, 0]).said).toEqual([]);
  expect(play(silent, [...usual(30), 0, 0, 0], { more: { from: addDays(FIRST, 25) } }).said).toEqual([]);
});

test('a holiday is neither judged nor compared with', () => {
  const clicks = [...usual(30), 0, ...usual(3), ...usual(3), 200];
  expect(play(change, clicks, { holidays: [addDays(FIRST, 30)] }).said).toEqual([]);
  // Of one week's comparison, the holiday's 400 would be what is usual.
  const next = { ...change, weeks: 1 } as Rule;
  const zero = play(next, [...usual(27), 400, ...usual(7)], { holidays: [addDays(FIRST, 27)] });
  expect(zero.said).toEqual([]);
  expect(play(silent, [...usual(30), 0, 0], { holidays: [addDays(FIRST, 31)] }).said).toEqual([]);
});

test('silence begins after the days that the rule names, and ends with the first click, however long it lasts', () => {
  const { said } = play(silent, [...usual(30), ...usual(60, 0), 1]);
  expect(said.map(([index, event]) => [index, event])).toEqual([
    [31, 'began'],
    [90, 'recovered'],
  ]);
  expect(said[0]?.[2]).toBe('No clicks for 2 days (7 – 8 Oct 2026), 200 a day usual (5,600 in the 28 days before).');
});

test('a publisher that was removed is not silent, and its cause ends', () => {
  const removed = { removed: new Set(['p']) };
  expect(play(silent, [...usual(30), 0, 0, 0], { more: removed }).said).toEqual([]);
  const cause = { rule: 'silent', id: 'p', name: 'Acme', since: FIRST, judged: FIRST, text: '' };
  const day = addDays(FIRST, 29);
  const facts = factsOf(usual(30), removed);
  const judgements = judge(silent, { facts, day, holidays: new Set(), now: 0, open: () => [cause] });
  const { turns, causes } = advance(new Map([['silent/p', cause]]), { day, rules: ['silent'], judgements });
  expect([turns.map(({ event }) => event), causes.size]).toEqual([['ended'], 0]);
});

test('a drop that became usual is dropped after two weeks without enough to judge by', () => {
  const { said } = play(change, [...usual(30), ...usual(50, 20)]);
  expect(said.map(([, event]) => event)).toEqual(['began', 'ended']);
});

test('a ratio is judged from the sums of its days, at its own limits', () => {
  const range: Rule = { ...shared, kind: 'range', name: 'ctr', metric: 'ctr', from: 0.05, to: 0.25, days: 2 };
  const clicks = [...usual(29), 300, 400, 100, 0, 0, 200];
  const { said } = play(range, clicks);
  expect(said.map(([index, event]) => [index, event])).toEqual([
    [30, 'began'],
    [31, 'recovered'],
    [33, 'began'],
    [34, 'recovered'],
  ]);
  expect(said[0]?.[2]).toBe(
    'CTR 35.00% in 6 – 7 Oct 2026: 700 clicks for 2,000 impressions; the limit is not below 5.00% and not above 25.00%.',
  );
  expect(play({ ...range, minimum: 2_001 }, clicks).said).toEqual([]);
});
