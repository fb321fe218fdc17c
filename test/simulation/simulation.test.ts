import { afterAll, beforeAll, expect, it } from 'vitest';
import { IS_LONG } from '../fixtures/effort.ts';
import { openStage, play, type Stage } from './history.ts';
import { planOf, shrink } from './shrink.ts';

/** Seconds of histories that nobody has seen before. */
const SECONDS = IS_LONG ? 600 : 20;
/** A history to repeat, as a failure names it. */
const NAME = process.env['OFFERLET_SEED'];

let stage: Stage;
beforeAll(async () => void (stage = await openStage()));
afterAll(() => stage.close());

const repeat = (name: string): void =>
  it(`history ${name}`, async () => {
    const { failures, trace } = await play(stage, planOf(name));
    process.stdout.write(`${trace.join('\n')}\n`);
    expect(failures).toEqual([]);
  });

const search = (): void =>
  it(
    `in ${SECONDS} s of histories everything is delivered once, or said, and nothing that must not be`,
    async () => {
      const end = performance.now() + SECONDS * 1_000;
      const first: { seed: number; trace: readonly string[] }[] = [];
      let count = 0;
      for (; performance.now() < end; count++) {
        const seed = Math.floor(Math.random() * 2 ** 31);
        const outcome = await play(stage, planOf(String(seed)));
        if (outcome.failures.length > 0) {
          const name = await shrink(stage, seed, outcome);
          const { failures, trace } = await play(stage, planOf(name));
          const how = `OFFERLET_SEED=${name} npx vitest run test/simulation/simulation.test.ts`;
          throw new Error(
            `${failures.join('\n')}\n\nSeed ${seed}, shrunk to ${name}. To repeat it:\n  ${how}\n\n${trace.join('\n')}`,
          );
        }
        if (first.length < 5) first.push({ seed, trace: outcome.trace });
      }
      process.stdout.write(`${count} histories, ${Math.round((count / SECONDS) * 60)} a minute\n`);
      // The same seed is the same history, whatever came in between.
      for (const { seed, trace } of first) expect((await play(stage, planOf(String(seed)))).trace).toEqual(trace);
      // And time to shrink what was found.
    },
    (SECONDS + 600) * 1_000,
  );

if (NAME) repeat(NAME);
else search();
