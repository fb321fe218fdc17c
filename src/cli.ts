#!/usr/bin/env node
import { COMMANDS, ELSEWHERE, loadElsewhere } from './cli/commands.ts';
import { runCommands, runProgram } from './program/runCommands.ts';

runProgram((argv) =>
  runCommands(
    {
      name: 'offerlet',
      about: 'partner offers on thank-you and order-status pages',
      commands: COMMANDS,
      elsewhere: ELSEWHERE,
      load: loadElsewhere,
      foot: `sandbox and network are in the package offerlet-sandbox, publishers to whoami in offerlet-operator: they run
where that package is installed. See https://github.com/offerlet/offerlet/blob/main/docs/README.md
`,
    },
    argv,
  ),
);
