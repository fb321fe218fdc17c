#!/usr/bin/env node
import { runCommands } from '../cli/runCommands.ts';
import { runProgram } from '../cli/runProgram.ts';
import { commands } from './commands.ts';

runProgram((argv) =>
  runCommands(
    {
      name: 'offerlet-operator',
      about: 'publishers, exclusions and reports of a channel',
      commands,
    },
    argv,
  ),
);
