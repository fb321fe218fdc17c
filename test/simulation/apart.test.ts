import { afterAll, beforeAll, expect, it } from 'vitest';
import { own } from '../../src/wire/json.ts';
import { openStage, play, type Outcome, type Stage } from './history.ts';
import { planOf } from './shrink.ts';

const HISTORIES = 100;

let stage: Stage;
beforeAll(async () => void (stage = await openStage()));
afterAll(() => stage.close());

/** Sessions that devices were given for orders which had one already. */
function moreSessions({ exchanges }: Outcome): number {
  const sessions = new Map<string, Set<unknown>>();
  for (const { link, body, said, from } of exchanges) {
    const order = own(own(body, 'order_details'), 'order_id');
    if (link !== 'page' || !order || !own(said, 'session_id')) continue;
    const name = `${from.machine.name} ${JSON.stringify(order)}`;
    sessions.set(name, (sessions.get(name) ?? new Set()).add(own(said, 'session_id')));
  }
  return [...sessions.values()].reduce((sum, { size }) => sum + size - 1, 0);
}

it('two relays without a shared store lose nothing, but give one order two sessions, and store events twice unsaid', async () => {
  const failures: string[] = [];
  const more = { 1: 0, 2: 0 };
  for (let seed = 1; seed <= HISTORIES; seed++)
    for (const relays of [1, 2] as const) {
      const outcome = await play(stage, { ...planOf(String(seed)), store: 'memory', relays });
      more[relays] += moreSessions(outcome);
      failures.push(...outcome.failures.map((failure) => `${relays} ${failure}`));
    }
  process.stdout.write(
    `${failures.length} of ${HISTORIES} histories; sessions too many: ${more[1]}, then ${more[2]}\n`,
  );
  expect(failures.filter((failure) => !failure.startsWith('2 2 counted twice'))).toEqual([]);
  expect(failures.length).toBeGreaterThan(0);
  expect(more[2]).toBeGreaterThan(more[1]);
}, 600_000);
