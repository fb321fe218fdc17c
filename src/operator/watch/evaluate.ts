import { judge, type Judgement, type RuleResult } from './judge.ts';
import { inWords } from '../reports/format.ts';
import { readFacts, type FactsSource, type ReadFacts } from './readFacts.ts';
import type { Rules } from './rules.ts';
import { addDays, countDays, DAY_MS, dateOf, startOf } from '../../wire/utcDates.ts';

/** What the rules say. */
export interface Evaluation {
  readonly causes: Causes;
  /** What began and what is over, in order. */
  readonly turns: readonly Turn[];
  /** The days judged, the earliest first. */
  readonly days: readonly string[];
  readonly dataEnd: number | null;
  readonly skipped: ReadFacts['skipped'];
  /** Rules that could judge nobody on the last day: their silence is no all-clear. */
  readonly unjudged: readonly { readonly rule: string; readonly why: string }[];
}

/** How rules are evaluated. */
export interface EvaluateOptions {
  readonly source: FactsSource;
  readonly rules: Rules;
  /** The causes that are open. */
  readonly before: Causes;
  /** Complete days to judge one after the other, as if the command had run on each; 1 by default. */
  readonly days?: number | undefined;
}

/** Reads what the rules need, judges the last complete days by them, and says what began and what is over. */
export async function evaluate({ source, rules, before, days = 1 }: EvaluateOptions): Promise<Evaluation> {
  const now = Date.now();
  const publishers = [...before.values()].filter(({ rule }) =>
    rules.rules.some((one) => one.name === rule && 'by' in one && one.by === 'publisher'),
  );
  const read = await readFacts(source, { rules, days, publishers });
  const skipped = new Set(read.skipped.map(({ rule }) => rule));
  const names = rules.rules.map(({ name }) => name);
  let causes = before;
  const looked = new Map<string, RuleResult[]>();
  const turns: Turn[] = [];
  // Without data, what does not need any is judged all the same: requests, and that the data is late.
  const judged = read.days.length > 0 ? read.days : [addDays(dateOf(now), -1)];
  for (const [index, day] of judged.entries()) {
    const isLast = index === judged.length - 1;
    // What an earlier run would have found: the day after, when the day was complete.
    const at = isLast ? now : startOf(day) + 2 * DAY_MS;
    const its = rules.rules.filter(
      (rule) =>
        !skipped.has(rule.name) && (rule.kind === 'late' ? isLast : rule.kind === 'pending' || read.days.length > 0),
    );
    const judgements = its.flatMap((rule) =>
      judge(rule, {
        facts: read.facts,
        day,
        holidays: rules.holidays,
        now: at,
        onLook(name, said) {
          if (!isLast) return;
          looked.set(name, looked.get(name) ?? []);
          looked.get(name)?.push(said);
        },
        open: (name) => [...causes.values()].filter((cause) => cause.rule === name),
      }),
    );
    const next = advance(causes, { day, rules: names, judgements });
    causes = next.causes;
    turns.push(...next.turns);
  }
  const unjudged = rules.rules.flatMap((rule) => {
    if (!('metric' in rule) || skipped.has(rule.name) || read.days.length === 0) return [];
    const said = looked.get(rule.name) ?? [];
    const why = said.at(-1)?.text ?? `there is no ${inWords(rule.by).toLowerCase()} to judge`;
    return said.some(({ outcome }) => outcome !== 'unknown')
      ? []
      : [{ rule: rule.name, why: `judged 0 of ${said.length}: ${why}` }];
  });
  return { causes, turns, days: read.days, dataEnd: read.facts.dataEnd, skipped: read.skipped, unjudged };
}

/** Something that a rule found wrong, until it is over. */
export interface Cause {
  readonly rule: string;
  readonly id: string;
  readonly name: string;
  /** The day on which it was found. */
  readonly since: string;
  /** The last day on which there was enough to judge by. */
  readonly judged: string;
  /** What it says now. */
  readonly text: string;
}

/** A cause that began or is over. There is one for each beginning and one for each end. */
export interface Turn {
  readonly event: 'began' | 'recovered' | 'ended';
  readonly day: string;
  readonly cause: Cause;
}

/** Open causes by their key. */
export type Causes = ReadonlyMap<string, Cause>;

/** Days without anything to judge by after which a cause is dropped: its end could not be detected. */
const FORGET_DAYS = 14;

/** The key of a cause. */
export function keyOfCause({ rule, id }: { readonly rule: string; readonly id: string }): string {
  return `${rule}/${id}`;
}

/** Returns the open causes after a day, and what changed. Causes of rules that no longer exist are dropped. */
export function advance(
  before: Causes,
  {
    day,
    rules,
    judgements,
  }: { readonly day: string; readonly rules: readonly string[]; readonly judgements: readonly Judgement[] },
): { readonly causes: Causes; readonly turns: readonly Turn[] } {
  const judged = new Map(judgements.map((one) => [keyOfCause(one), one]));
  const causes = new Map<string, Cause>();
  const turns: Turn[] = [];
  for (const [key, cause] of before) {
    if (!rules.includes(cause.rule)) continue;
    const { outcome = 'unknown', text = '', name = cause.name } = judged.get(key) ?? {};
    if (outcome === 'alarm') causes.set(key, { ...cause, name, text, judged: day });
    else if (outcome === 'fine') turns.push({ event: 'recovered', day, cause: { ...cause, name, text } });
    else if (outcome === 'ended') turns.push({ event: 'ended', day, cause: { ...cause, name, text } });
    else if (countDays({ from: cause.judged, to: day }) <= FORGET_DAYS) causes.set(key, cause);
    else
      turns.push({
        event: 'ended',
        day,
        cause: { ...cause, text: `There has been too little activity to judge it for ${FORGET_DAYS} days.` },
      });
  }
  for (const [key, { rule, id, name, outcome, text }] of judged) {
    if (outcome !== 'alarm' || before.has(key)) continue;
    const cause = { rule, id, name, since: day, judged: day, text };
    causes.set(key, cause);
    turns.push({ event: 'began', day, cause });
  }
  return { causes, turns };
}
