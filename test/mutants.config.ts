// What mutants.mjs runs: those of the tests it names that kill no process.
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import base from '../vite.config.ts';

const { test: { projects = [], ...test } = {}, ...rest } = base({ mode: 'test', command: 'serve' });
const exclude = projects.flatMap((project) => {
  const { name, include } = (project as { test: { name: string; include: string[] } }).test;
  return ['servers', 'long', 'package'].includes(name) ? include : [];
});
/** Small files first: the first test that fails ends a run. */
class SmallFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toReversed();
  }
}
export default defineConfig({
  ...rest,
  root: `${import.meta.dirname}/..`,
  test: {
    ...test,
    include: process.env['OFFERLET_TESTS']?.split(',') ?? [],
    exclude,
    sequence: { sequencer: SmallFirst },
    // What waits for something that a mutant prevents fails soon.
    testTimeout: 15_000,
    expect: { poll: { timeout: 5_000 } },
  },
});
