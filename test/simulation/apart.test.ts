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

it('two relays without a shared store lose nothing, but store events twice unsaid', async () => {
  const failures: string[] = [];
  for (let seed = 1; seed <= HISTORIES; seed++)
    failures.push(...(await play(stage, { ...planOf(String(seed)), store: 'memory', relays: 2 })).failures);
  process.stdout.write(`${failures.length} of ${HISTORIES} histories\n`);
  expect(failures.filter((failure) => !failure.startsWith('2 counted twice'))).toEqual([]);
  expect(failures.length).toBeGreaterThan(0);
}, 600_000);

it('two tabs that open one order at once have one session with one relay, and may have two with two', async () => {
  const more = { 1: 0, 2: 0 };
  const steps = [0, 1].map((tab) => ({ after: 0, do: 'open', device: 0, tab, order: 0 }) as const);
  for (let seed = 1; seed <= 10; seed++)
    for (const relays of [1, 2] as const)
      more[relays] += moreSessions(await play(stage, { ...planOf(String(seed)), steps, store: 'memory', relays }));
  process.stdout.write(`Sessions too many: ${more[1]}, then ${more[2]}\n`);
  expect(more[1]).toBe(0);
  expect(more[2]).toBeGreaterThan(0);
});
