import { RATIOS } from '../reports/sumHours.ts';
import {
  type By,
  type ChangeRule,
  type LateRule,
  type PendingRule,
  type RangeRule,
  type ReportRule,
  type Rule,
  type SilentRule,
} from './rules.ts';
import { isMoney, labelOf, momentText, periodText, plural, rangeText, valueText, inWords } from '../reports/format.ts';
import { addDays, DAY_MS, dateOf, HOUR_MS, startOf, type DateRange } from '../../wire/utcDates.ts';

/** What rules are judged by. */
export interface Facts {
  /** The first day with history. */
  readonly from: string;
  /** The end of the latest hour or day with data, in milliseconds; null when the network does not say. */
  readonly dataEnd: number | null;
  /** The subjects of a breakdown, by their id. */
  subjects(by: By): ReadonlyMap<string, string>;
  /** A metric of one day; 0 without activity. */
  value(by: By, id: string, metric: string, date: string): number;
  /** A metric of some days together, where those were read as one; undefined otherwise. */
  sum?(by: By, id: string, metric: string, dates: readonly string[]): number | undefined;
  /** Requests to add a publisher, with the moment they were made. */
  readonly requests: readonly Request[];
  /** Publishers that the channel no longer has. */
  readonly removed: ReadonlySet<string>;
}

interface Request {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly at: number;
}

interface Subject {
  readonly id: string;
  readonly name: string;
}

/** What a rule says about one subject. */
export interface Judgement {
  readonly rule: string;
  readonly id: string;
  readonly name: string;
  /** `unknown`: too little to judge by; an open cause stays open. `ended`: there is nothing left to judge. */
  readonly outcome: 'alarm' | 'fine' | 'unknown' | 'ended';
  /** Says so, with the numbers; why it is `unknown`. */
  readonly text: string;
}

/** How a day is judged. */
export interface JudgeOptions {
  readonly facts: Facts;
  /** The last complete day. */
  readonly day: string;
  readonly holidays: ReadonlySet<string>;
  /** The time of the run, in milliseconds. */
  readonly now: number;
  /** Called with what a rule says about each subject. */
  onLook?(rule: string, said: RuleResult): void;
  /** The subjects for which a rule has an open cause. */
  open(rule: string): readonly Subject[];
}

/** The days before silence that say what is usual. */
const USUAL_DAYS = 28;

/** Judges one rule on one day: an alarm for each subject outside its limits, and everything about open causes. */
export function judge(rule: Rule, options: JudgeOptions): Judgement[] {
  if (rule.kind === 'late') return [judgeLate(rule, options)];
  if (rule.kind === 'pending') return judgePending(rule, options);
  const { facts } = options;
  const opened = new Set(options.open(rule.name).map(({ id }) => id));
  const judged: Judgement[] = [];
  const judgeSubject = judgeSubjects(rule, options);
  for (const [id, name] of facts.subjects(rule.by)) {
    if (rule.except.includes(id) || rule.except.includes(name)) continue;
    const isOpen = opened.has(id);
    const said =
      rule.by === 'publisher' && facts.removed.has(id)
        ? { outcome: 'ended' as const, text: 'It is no longer a publisher of the channel.' }
        : judgeSubject({ id, isOpen });
    options.onLook?.(rule.name, said);
    if (said.outcome === 'alarm' || isOpen) judged.push({ rule: rule.name, id, name, ...said });
  }
  return judged;
}

/** What a rule says of a publisher, or of the channel. */
export type RuleResult = Pick<Judgement, 'outcome' | 'text'>;
/** A fine result has no text, unless it was not fine before. */
const FINE: RuleResult = { outcome: 'fine', text: '' };
const HOLIDAY: RuleResult = { outcome: 'unknown', text: 'a holiday' };
const TOO_SHORT: RuleResult = { outcome: 'unknown', text: 'the history is too short' };
/** Too little of what the rule has a minimum of. */
const tooFew = (metric: string): RuleResult => ({
  outcome: 'unknown',
  text: `too few ${labelOf(metric).toLowerCase()}`,
});

interface Judged {
  readonly id: string;
  /** Whether the rule has an open cause for it. */
  readonly isOpen: boolean;
}

/** The dates are worked out once, for there may be thousands of subjects. */
function judgeSubjects(rule: ReportRule, options: JudgeOptions): (subject: Judged) => RuleResult {
  switch (rule.kind) {
    case 'change':
      return judgeChanges(rule, options);
    case 'silent':
      return judgeSilence(rule, options);
    case 'range':
      return judgeRanges(rule, options);
  }
}

/** What a day is judged by: its dates, and those before it that say what is usual; undefined without enough history. */
interface RuleDates {
  readonly now: readonly string[];
  /** For `change`, the same weekday of the weeks before; for `silent`, the days before. Never holidays. */
  readonly before: readonly string[];
}

/** Which dates a rule judges a day by. */
export function datesOfRule(
  rule: ReportRule,
  { day, from, holidays }: { readonly day: string; readonly from: string; readonly holidays: ReadonlySet<string> },
): RuleDates | undefined {
  const known = (date: string): boolean => date >= from;
  if (rule.kind === 'range') {
    const now = datesBefore(addDays(day, 1), rule.days);
    return now.every(known) ? { now, before: [] } : undefined;
  }
  if (rule.kind === 'change') {
    const before = [...Array(rule.weeks).keys()].map((week) => addDays(day, -7 * (week + 1)));
    return { now: [day], before: before.filter((date) => known(date) && !holidays.has(date)) };
  }
  const now: string[] = [];
  for (let date = day; now.length < rule.days && known(date); date = addDays(date, -1))
    if (!holidays.has(date)) now.push(date);
  if (now.length < rule.days) return undefined;
  return { now, before: datesBefore(now.at(-1) ?? day, USUAL_DAYS).filter(known) };
}

/** The lists of dates of which a rule reads the sum: for `change`, each date is one. */
export function windowsOf(rule: ReportRule, { now, before }: RuleDates): readonly (readonly string[])[] {
  return [now, ...(rule.kind === 'change' ? before.map((date) => [date]) : [before])].filter(
    (dates) => dates.length > 0,
  );
}

function totalOf(facts: Facts, rule: ReportRule, id: string): (metric: string, dates: readonly string[]) => number {
  return (metric, dates) =>
    facts.sum?.(rule.by, id, metric, dates) ?? sum(dates.map((date) => facts.value(rule.by, id, metric, date)));
}

function judgeChanges(rule: ChangeRule, { facts, day, holidays }: JudgeOptions): (subject: Judged) => RuleResult {
  const days = datesOfRule(rule, { day, from: facts.from, holidays })?.before ?? [];
  // One week could be the unusual one, unless the rule requires only one.
  if (holidays.has(day)) return () => HOLIDAY;
  if (days.length < Math.min(2, rule.weeks)) return () => TOO_SHORT;
  return ({ id, isOpen }) => {
    const total = totalOf(facts, rule, id);
    const before = days.map((date) => total(rule.metric, [date]));
    const usual = medianOf(before);
    const value = total(rule.metric, [day]);
    if (usual < rule.minimum) return tooFew(rule.metric);
    const change = (value - usual) / usual;
    // An open cause ends well within the limit: a value that moves around it would begin and end every day.
    const share = isOpen ? 0.5 : 1;
    const isBelow = rule.below !== undefined && change < rule.below * share;
    const isAbove = rule.above !== undefined && change > rule.above * share;
    if (!isBelow && !isAbove && !isOpen) return FINE;
    const limit = isAbove ? rule.above : (rule.below ?? rule.above);
    const on = `${labelOf(rule.metric)} on ${periodText(startOf(day), 'day')}`;
    const against = `${valueText(rule.metric, usual)} usual (${before.length === 1 ? 'the week before' : `median of ${before.map((one) => valueText(rule.metric, one)).join(', ')} on the same weekday of the weeks before`})`;
    return {
      outcome: isBelow || isAbove ? 'alarm' : 'fine',
      text: `${on}: ${valueText(rule.metric, value)} against ${against}, ${signedShare(change)}; the limit is ${signedShare(limit ?? 0)}.`,
    };
  };
}

function judgeSilence(rule: SilentRule, { facts, day, holidays }: JudgeOptions): (subject: Judged) => RuleResult {
  const { now: days, before } = datesOfRule(rule, { day, from: facts.from, holidays }) ?? {};
  if (!days || !before) return () => TOO_SHORT;
  const range = { from: days.at(-1) ?? day, to: day };
  return ({ id, isOpen }) => {
    const sumOf = totalOf(facts, rule, id);
    const value = sumOf(rule.metric, days);
    if (value > 0 && !isOpen) return FINE;
    const of = labelOf(rule.metric).toLowerCase();
    if (value > 0) return { outcome: 'fine', text: `${valueText(rule.metric, value)} ${of} in ${rangeText(range)}.` };
    const total = sumOf(rule.metric, before);
    const usual = before.length === 0 ? 0 : total / before.length;
    // Seven days say what is usual on every weekday. Silence that is known stays an alarm when all that was usual is over.
    if (!isOpen && before.length < 7) return TOO_SHORT;
    if (!isOpen && usual < rule.minimum) return tooFew(rule.metric);
    return {
      outcome: 'alarm',
      text: `No ${of} for ${plural(rule.days, 'day')} (${rangeText(range)}), ${valueText(rule.metric, round(usual, isMoney(rule.metric) ? 2 : 0))} a day usual (${valueText(rule.metric, total)} in the ${plural(before.length, 'day')} before).`,
    };
  };
}

function judgeRanges(rule: RangeRule, { facts, day, holidays }: JudgeOptions): (subject: Judged) => RuleResult {
  const range: DateRange = { from: addDays(day, 1 - rule.days), to: day };
  const [over = '', under = ''] = RATIOS[rule.metric] ?? [];
  const days = datesOfRule(rule, { day, from: facts.from, holidays })?.now;
  if (!days) return () => TOO_SHORT;
  return ({ id, isOpen }) => {
    const total = totalOf(facts, rule, id);
    const [above, below] = [round(total(over, days), 2), round(total(under, days), 2)];
    if (below < rule.minimum) return tooFew(under);
    const value = round(above / below, 4);
    const isBelow = rule.from !== undefined && value < rule.from;
    const isAbove = rule.to !== undefined && value > rule.to;
    if (!isBelow && !isAbove && !isOpen) return FINE;
    const limits = [
      ...(rule.from === undefined ? [] : [`not below ${valueText(rule.metric, rule.from)}`]),
      ...(rule.to === undefined ? [] : [`not above ${valueText(rule.metric, rule.to)}`]),
    ];
    return {
      outcome: isBelow || isAbove ? 'alarm' : 'fine',
      text: `${labelOf(rule.metric)} ${valueText(rule.metric, value)} in ${rangeText(range)}: ${valueText(over, above)} ${labelOf(over).toLowerCase()} for ${valueText(under, below)} ${labelOf(under).toLowerCase()}; the limit is ${limits.join(' and ')}.`,
    };
  };
}

function judgePending(rule: PendingRule, { facts, now, open }: JudgeOptions): Judgement[] {
  const waiting = facts.requests.filter(
    ({ status, at }) => rule.statuses.includes(status) && now - at >= rule.days * DAY_MS,
  );
  const judged = waiting.map(({ id, name, status, at }): Judgement => {
    const days = Math.floor((now - at) / DAY_MS);
    const since = dateOf(at);
    // The network says since when there is a request, not since when it has this status.
    const text = `${inWords(status)}; requested ${plural(days, 'day')} ago, on ${rangeText({ from: since, to: since })}; the limit is ${plural(rule.days, 'day')}.`;
    return { rule: rule.name, id, name, outcome: 'alarm', text };
  });
  const ids = new Set(waiting.map(({ id }) => id));
  for (const { id, name } of open(rule.name))
    if (!ids.has(id)) judged.push({ rule: rule.name, id, name, outcome: 'fine', text: 'It no longer waits.' });
  return judged;
}

function judgeLate({ name, hours }: LateRule, { facts, now }: JudgeOptions): Judgement {
  const { dataEnd } = facts;
  const age = dataEnd === null ? null : Math.max(0, Math.floor((now - dataEnd) / HOUR_MS));
  return {
    rule: name,
    id: 'data',
    name: 'Data',
    outcome: age === null || age > hours ? 'alarm' : 'fine',
    text:
      dataEnd === null
        ? 'The network does not say how far its data reaches, so no report is judged.'
        : `The data ends on ${momentText(dataEnd)}, ${plural(age ?? 0, 'hour')} ago; the limit is ${plural(hours, 'hour')}.`,
  };
}

/** The days before a date, the latest first. */
function datesBefore(date: string, count: number): string[] {
  return [...Array(count).keys()].map((days) => addDays(date, -1 - days));
}

/** The first day that a rule reads to judge a day; holidays may move it back. */
export function reachOf(rule: Rule): number {
  switch (rule.kind) {
    case 'silent':
      return rule.days + USUAL_DAYS - 1;
    case 'change':
      return rule.weeks * 7;
    case 'range':
      return rule.days - 1;
    case 'pending':
    case 'late':
      return 0;
  }
}

/** The metrics that a rule reads. */
export function metricsOfRule(rule: ReportRule): readonly string[] {
  return rule.kind === 'range' ? (RATIOS[rule.metric] ?? []) : [rule.metric];
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

function signedShare(share: number): string {
  const percent = round(share * 100, 1);
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toLocaleString('en')}%`;
}
