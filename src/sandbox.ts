#!/usr/bin/env node
import { helpFor, installedVersion, runProgram } from './cli/runCommands.ts';
import { enterSubcommand } from './cli/command.ts';
import { UsageError } from './cli/ExitError.ts';
import { commands } from './sandbox/commands.ts';

const MORE = `
"offerlet-sandbox network" runs the network on its own; see "offerlet-sandbox network --help".
`;

runProgram(async (argv) => {
  const isNamed = argv[0] !== undefined && !argv[0].startsWith('-');
  const [name, rest] = isNamed ? [argv[0], argv.slice(1)] : ['sandbox', argv];
  if (argv[0] === '--version' || argv[0] === '-v') return void process.stdout.write(`${installedVersion()}\n`);
  const isHelp = name === 'help' || rest.includes('--help') || rest.includes('-h');
  if (isHelp && name !== 'network')
    return void process.stdout.write(helpFor('offerlet-sandbox', commands.sandbox) + MORE);
  if (name !== 'sandbox' && name !== 'network')
    throw new UsageError(`Unknown command "${name}". Use offerlet-sandbox or offerlet-sandbox network.`);
  const call = enterSubcommand({ name, command: commands[name], argv: rest });
  if (isHelp) return void process.stdout.write(helpFor(`offerlet-sandbox ${call.name}`, call.command));
  await call.command.run({ argv: call.argv, env: process.env });
});
