#!/usr/bin/env node
import { didYouMean } from './cli/didYouMean.ts';
import { helpFor } from './cli/helpFor.ts';
import { loadSandbox } from './cli/loadSandbox.ts';
import { relayCommand } from './cli/relayCommand.ts';
import { runProgram } from './cli/runProgram.ts';
import { UsageError } from './cli/UsageError.ts';

const COMMANDS = {
  relay: () => relayCommand,
  sandbox: () => loadSandbox('sandbox'),
  network: () => loadSandbox('network'),
};

const HELP = `offerlet: partner offers on thank-you and order-status pages

Usage: offerlet COMMAND [options]

Commands:
  offerlet relay      ${relayCommand.summary}
  offerlet sandbox    Runs a sandbox network, a relay and a demo shop on this machine.
  offerlet network    Runs the sandbox network on its own.

Use "offerlet COMMAND --help" for the options of a command.
sandbox and network are in the package offerlet-sandbox: npx offerlet-sandbox --help
`;

runProgram(async ([name = 'help', ...argv]) => {
  if (['help', '--help', '-h'].includes(name)) return void process.stdout.write(HELP);
  if (!isCommand(name))
    throw new UsageError(
      `Unknown command "${name}".${didYouMean(name, Object.keys(COMMANDS))} Use relay, sandbox or network; "offerlet --help" describes them.`,
    );
  const command = await COMMANDS[name]();
  if (isHelp(argv)) return void process.stdout.write(helpFor(`offerlet ${name}`, command));
  await command.run({ argv, env: process.env });
});

function isCommand(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

function isHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}
