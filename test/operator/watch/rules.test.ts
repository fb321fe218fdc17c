import { expect, test } from 'vitest';
import { parseYaml } from '../../../src/operator/watch/openYaml.ts';
import { EXAMPLE_RULES, readRules, textOfRule } from '../../../src/operator/watch/rules.ts';

const read = (text: string) => readRules(parseYaml(text, 'watch.yaml'));

test('each rule says in a sentence what it looks for', () => {
  expect(read(EXAMPLE_RULES).rules.map(textOfRule)).toEqual([
    'No data for more than 36 hours.',
    'Clicks of the channel: below −30% against the same weekday of the 4 weeks before, from 200 usual.',
    'Clicks by publisher: below −50% against the same weekday of the 4 weeks before, from 100 usual.',
    'Impressions by publisher: none for 2 days, from 50 a day usual.',
    'CTR by publisher: below 0.05% or above 25.00% over 7 days, from 2,000 impressions.',
    'A request is pending or needs info, 5 days or longer after it was made.',
  ]);
  const rules = read(
    'rules:\n  a: { kind: change, by: page_type, above: 12.5%, weeks: 1, except: [CHECKOUT] }\n  b: { kind: range, metric: rpl, by: channel, to: 2, days: 1 }\n',
  ).rules;
  expect(rules.map(textOfRule)).toEqual([
    'Clicks by page type: above +12.5% against the same weekday of the week before, from 100 usual; without CHECKOUT.',
    'Payout per load of the channel: above 2.0000 over 1 day, from 1,000 loads.',
  ]);
});

test('the example is a valid file, with every kind of rule', () => {
  const { rules, holidays } = read(EXAMPLE_RULES);
  expect(new Set(rules.map(({ kind }) => kind))).toEqual(new Set(['late', 'change', 'silent', 'range', 'pending']));
  expect(holidays.size).toBe(0);
});

test('shares are read with sign, decimals and per cent', () => {
  const [rule] = read('rules:\n  a:\n    kind: change\n    below: -12.5%\n    above: +250 %\n').rules;
  expect(rule).toMatchObject({ below: -0.125, above: 2.5, metric: 'clicks', by: 'publisher', weeks: 4 });
  const [range] = read('rules:\n  a: { kind: range, metric: rpl, from: 0.05, to: 2 }\n').rules;
  expect(range).toMatchObject({ from: 0.05, to: 2 });
});

test.each([
  ['rules:\n  a:\n    kind: chnage\n', 'watch.yaml, line 3: rules.a.kind is not known: "chnage". Did you mean change?'],
  ['rules:\n  a:\n    kind: change\n    blow: -3%\n', 'line 4: rules.a.blow is not known. Did you mean below?'],
  [
    'rules:\n  a:\n    kind: change\n    metric: clics\n    below: -3%\n',
    'line 4: rules.a.metric is not known: "clics". Did you mean clicks?',
  ],
  [
    'rules:\n  a:\n    kind: change\n    metric: ctr\n    below: -3%\n',
    'line 4: rules.a.metric is a ratio. Use kind: range',
  ],
  ['rules:\n  a:\n    kind: change\n', 'line 2: rules.a has neither below nor above.'],
  ['rules:\n  a:\n    kind: change\n    below: 30%\n', 'line 4: rules.a.below is not a loss.'],
  ['rules:\n  a:\n    kind: change\n    below: -0.3\n', 'line 4: rules.a.below is not a number of per cent: "-0.3".'],
  ['rules:\n  a:\n    kind: range\n    from: 3%\n    to: 1%\n', 'line 4: rules.a.from is above to.'],
  ['rules:\n  a:\n    kind: silent\n    days: 0\n', 'line 4: rules.a.days is not a whole number from 1 to 28: "0".'],
  [
    'rules:\n  a:\n    kind: pending\n    status: [PENDIN]\n',
    'line 4: rules.a.status[0] is not known: "PENDIN". Did you mean PENDING?',
  ],
  ['rules:\n  a:\n    days: 2\n', 'line 2: rules.a has no kind.'],
  ['rules:\n  a b:\n    kind: late\n', 'line 2: rules.a b is not a name for a rule.'],
  ['holidays:\n  - 2026-02-30\nrules: {}\n', 'line 2: holidays[0] is not a date: "2026-02-30".'],
  ['holydays: []\nrules: {}\n', 'line 1: holydays is not known. Did you mean holidays?'],
  ['holidays: []\n', 'The file has no "rules".'],
  ['rules:\n  a:\n    kind: late\n  a:\n    kind: late\n', 'line 4: Map keys must be unique'],
  ['rules:\n  a: [\n', 'line 3: '],
  ['rules: &x\n  a: *x\n', 'is an alias'],
  ['rules: 7\n', 'line 1: rules must be a mapping'],
  ['webhook:\n  url: https://chat.example/x\nrules: {}\n', 'line 1: webhook is not known.'],
])('%j is refused with its line', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

test('a file that is nested without an end, or larger than 1 MB, is refused', () => {
  expect(() => read('#'.repeat(1 << 21))).toThrow('is larger than 1 MB');
  expect(() => read(`rules: ${'['.repeat(100_000)}`)).toThrow('watch.yaml, line 1: It is nested too deeply.');
});
