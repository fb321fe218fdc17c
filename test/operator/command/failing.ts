import { setTimeout as sleep } from 'node:timers/promises';
import { ExitError } from '../../../src/program/ExitError.ts';
import { runProgram } from '../../../src/program/runCommands.ts';

// A command that prints its results and then fails, as `publishers add` does.
runProgram(async () => {
  await sleep(300);
  process.stdout.write('1 added, 2 failed\n');
  throw new ExitError('2 of 3 failed.', 5);
});
