import type { Judgement } from './judge.ts';
import { countDays } from '../../wire/utcDates.ts';

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
  readonly numbers: Judgement['numbers'];
}

/** A cause that began or is over. There is one for each beginning and one for each end. */
export interface Turn {
  readonly event: 'began' | 'recovered' | 'ended';
  readonly day: string;
  readonly cause: Cause;
}

/** Open causes by their key. */
export type Causes = ReadonlyMap<string, Cause>;

/** Days without anything to judge by after which a cause is given up: nobody could say that it is over. */
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
    const { outcome = 'unknown', text = '', numbers = {}, name = cause.name } = judged.get(key) ?? {};
    if (outcome === 'alarm') causes.set(key, { ...cause, name, text, numbers, judged: day });
    else if (outcome === 'fine') turns.push({ event: 'recovered', day, cause: { ...cause, name, text, numbers } });
    else if (outcome === 'ended') turns.push({ event: 'ended', day, cause: { ...cause, name, text, numbers } });
    else if (countDays({ from: cause.judged, to: day }) <= FORGET_DAYS) causes.set(key, cause);
    else
      turns.push({
        event: 'ended',
        day,
        cause: {
          ...cause,
          text: `There has been too little activity to judge it for ${FORGET_DAYS} days.`,
          numbers: {},
        },
      });
  }
  for (const [key, { rule, id, name, outcome, text, numbers }] of judged) {
    if (outcome !== 'alarm' || before.has(key)) continue;
    const cause = { rule, id, name, since: day, judged: day, text, numbers };
    causes.set(key, cause);
    turns.push({ event: 'began', day, cause });
  }
  return { causes, turns };
}
