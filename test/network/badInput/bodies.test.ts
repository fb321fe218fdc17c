import { beforeAll, describe, expect, test } from 'vitest';
import { ofSuite } from '../../fixtures/opened.ts';
import { IS_LONG } from '../../fixtures/effort.ts';
import { DATABASE_KINDS } from '../databases.ts';
import { openTestNetwork, type Answered, type TestNetwork } from '../testNetwork.ts';
import { bodyCalls, type BodyCall } from './calls.ts';
import { NASTY, placesIn, replaced, type Path } from './badValues.ts';

/** Every value at every path takes a minute per database. The short run uses each value and each path once. */
const STRIDE = IS_LONG ? 1 : 13;

describe.each(DATABASE_KINDS)('bad input on %s', (kind) => {
  const world = ofSuite(() => openTestNetwork(kind));
  let calls: BodyCall[];
  beforeAll(async () => {
    calls = await bodyCalls(world);
  });

  test('every call accepts its documented body', async () => {
    for (const call of calls) {
      const { status, body } = await send(world, call, call.body);
      expect(status, `${call.path} ${JSON.stringify(body)}`).toBeLessThan(300);
      await call.undo?.();
    }
  });

  test('an invalid value anywhere in a body is at worst a 400 that names its path, and nothing is stored', async () => {
    const wrong: string[] = [];
    let turn = 0;
    const judge = await createJudge(world);
    for (const call of calls) {
      for (const place of placesIn(call.body)) {
        for (const value of [undefined, ...NASTY]) {
          turn += 1;
          if (turn % STRIDE !== 0 || (value === undefined && place.length === 0)) continue;
          const problem = await judge(call, { place, value }).catch(String);
          const what = `${call.method} ${call.path} ${place.join('.')} = ${JSON.stringify(value)?.slice(0, 60)}`;
          if (problem !== undefined) wrong.push(`${what}: ${problem.slice(0, 300)}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(turn).toBeGreaterThan(5_000);
  }, 600_000);
});

/** Returns a function that says what is wrong with the response to a body that has another value in one place, if anything is. */
async function createJudge(
  world: TestNetwork,
): Promise<(call: BodyCall, change: Change) => Promise<string | undefined>> {
  // Counting the rows takes most of the time, so what was there after one call is used for the next.
  let before = await stock(world);
  return async (call, change) => {
    const problem = await judge(world, call, { ...change, before });
    if (problem === undefined) return undefined;
    before = await stock(world);
    return problem === ACCEPTED ? undefined : problem;
  };
}

interface Change {
  place: Path;
  value: unknown;
}

const ACCEPTED = 'accepted';

async function judge(
  world: TestNetwork,
  call: BodyCall,
  { place, value, before }: Change & { before: string },
): Promise<string | undefined> {
  const { status, body } = await send(world, call, replaced(call.body, place, value));
  if (status < 300) {
    await call.undo?.();
    return ACCEPTED;
  }
  const said = JSON.stringify(body);
  const isJudgedOneByOne = call.path === '/events/batch' && body.results !== undefined;
  if (!(isJudgedOneByOne ? [502] : [400, 413]).includes(status)) return `${status} ${said}`;
  const after = await stock(world);
  if (after !== before) return `${status}, but ${before} became ${after}`;
  // A whole body has no name, and an event of a batch has an index in its place.
  const name = place
    .filter((part) => typeof part === 'string')
    .findLast((part) => !(isJudgedOneByOne && part === 'events'));
  return status === 413 || name === undefined || said.includes(name) ? undefined : `does not name ${name}: ${said}`;
}

/** The row counts, as the network reports them. */
async function stock(world: TestNetwork): Promise<string> {
  return JSON.stringify((await world.control('GET', '/sandbox/health')).counts);
}

function send(world: TestNetwork, call: BodyCall, body: unknown): Promise<Answered> {
  const key = call.key && world.network.describe().keys[call.key];
  return world.call(call.method, call.path, {
    ...(key === undefined ? {} : { key }),
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { version: '1.0.0', 'content-type': 'application/json' },
  });
}
