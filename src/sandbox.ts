#!/usr/bin/env node
import { helpFor, installedVersion, runProgram } from './program/runCommands.ts';
import { enterSubcommand } from './program/command.ts';
import { UsageError } from './program/ExitError.ts';
import { commands } from './sandbox/commands.ts';

const MORE = `
"offerlet-sandbox network" runs the network on its own, and "offerlet-sandbox verify URL" says which promises of the contract
another network keeps. Each has its own --help.
`;

runProgram(async (argv) => {
  const isNamed = argv[0] !== undefined && !argv[0].startsWith('-');
  const [name = 'sandbox', ...rest] = isNamed ? argv : ['sandbox', ...argv];
  if (argv[0] === '--version' || argv[0] === '-v') return void process.stdout.write(`${installedVersion()}\n`);
  const isHelp = name === 'help' || rest.includes('--help') || rest.includes('-h');
  if (isHelp && (name === 'sandbox' || name === 'help'))
    return void process.stdout.write(helpFor('offerlet-sandbox', commands.sandbox) + MORE);
  const command = Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : undefined;
  if (!command)
    throw new UsageError(
      `Unknown command "${name}". Use offerlet-sandbox, or with network or verify as its first word.`,
    );
  const call = enterSubcommand({ name, command, argv: rest });
  if (isHelp) return void process.stdout.write(helpFor(`offerlet-sandbox ${call.name}`, call.command));
  await call.command.run({ argv: call.argv, env: process.env });
});
