import { play, type Outcome, type Stage } from './history.ts';
import { makePlan, type Plan } from './plan.ts';

/** Runs of the search for a shorter history. */
const TRIES_MAX = 150;

/** Names a history: its seed and, of a shorter one, the numbers of the steps that are left. */
export function nameOf(seed: number, kept?: readonly number[]): string {
  return kept ? `${seed}:${kept.join(',')}` : String(seed);
}

/** The plan of a name. What a step waited for still passes without it. */
export function planOf(name: string): Plan {
  const [seed = '', kept] = name.split(':');
  const plan = makePlan(Number(seed));
  if (kept === undefined) return plan;
  const wanted = new Set(kept.split(',').filter(Boolean).map(Number));
  let waited = 0;
  const steps = plan.steps.flatMap((step, at) => {
    const after = step.after + waited;
    waited = wanted.has(at) ? 0 : after;
    return wanted.has(at) ? [{ ...step, after }] : [];
  });
  return { ...plan, steps };
}

/** Finds a short history in which the same does not hold, and returns its name. */
export async function shrink(stage: Stage, seed: number, first: Outcome): Promise<string> {
  const kindOf = ({ failures }: Outcome): string =>
    failures[0]?.split(':')[0]?.replaceAll(/[\d.]{2,}|[\da-f-]{36}/g, '') ?? '';
  const kind = kindOf(first);
  let kept = [...makePlan(seed).steps.keys()];
  let tries = 0;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < kept.length && tries < TRIES_MAX; tries++) {
      const fewer = [...kept.slice(0, start), ...kept.slice(start + size)];
      if (kindOf(await play(stage, planOf(nameOf(seed, fewer)))) === kind) kept = fewer;
      else start += size;
    }
  }
  return nameOf(seed, kept);
}
