#!/usr/bin/env node
import { runCommands, runProgram } from '../program/runCommands.ts';
import { commands } from './commands.ts';

runProgram((argv) =>
  runCommands({ name: 'offerlet-operator', about: 'publishers, exclusions and reports of a channel', commands }, argv),
);
