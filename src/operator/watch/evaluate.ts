import { advance, type Causes, type Turn } from './causes.ts';
import { judge } from './judge.ts';
import { readFacts, type FactsSource, type ReadFacts } from './readFacts.ts';
import type { Rules } from './rules.ts';
import { addDays, DAY_MS, dateOf, startOf } from '../../wire/utcDates.ts';

/** What the rules say. */
export interface Evaluation {
  readonly causes: Causes;
  /** What began and what is over, in order. */
  readonly turns: readonly Turn[];
  /** The days judged, the earliest first. */
  readonly days: readonly string[];
  readonly dataEnd: number | null;
  readonly skipped: ReadFacts['skipped'];
}

/** How rules are evaluated. */
export interface EvaluateOptions {
  readonly source: FactsSource;
  readonly rules: Rules;
  /** The causes that are open. */
  readonly before: Causes;
  /** Complete days to judge one after the other, as if the command had run on each; 1 by default. */
  readonly days?: number | undefined;
  readonly now?: number | undefined;
}

/** Reads what the rules need, judges the last complete days by them, and says what began and what is over. */
export async function evaluate({
  source,
  rules,
  before,
  days = 1,
  now = Date.now(),
}: EvaluateOptions): Promise<Evaluation> {
  const publishers = [...before.values()].flatMap(({ rule, id }) =>
    rules.rules.some((one) => one.name === rule && 'by' in one && one.by === 'publisher') ? [id] : [],
  );
  const read = await readFacts(source, { rules, days, publishers });
  const skipped = new Set(read.skipped.map(({ rule }) => rule));
  const names = rules.rules.map(({ name }) => name);
  let causes = before;
  const turns: Turn[] = [];
  // Without data, what does not need any is judged all the same: requests, and that the data is late.
  const judged = read.days.length > 0 ? read.days : [addDays(dateOf(now), -1)];
  for (const [index, day] of judged.entries()) {
    const isLast = index === judged.length - 1;
    // What an earlier run would have seen: the day after, when the day was complete.
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
        open: (name) => [...causes.values()].filter((cause) => cause.rule === name),
      }),
    );
    const next = advance(causes, { day, rules: names, judgements });
    causes = next.causes;
    turns.push(...next.turns);
  }
  return { causes, turns, days: read.days, dataEnd: read.facts.dataEnd, skipped: read.skipped };
}
