#!/usr/bin/env node
import { loadSandbox } from './cli/loadSandbox.ts';
import { relayCommand } from './cli/relayCommand.ts';
import { runProgram } from './cli/runProgram.ts';
import { UsageError, type SettingsSource } from './cli/settings.ts';
import { USAGE, USAGE_NOTES } from './cli/usage.ts';

const COMMANDS: Readonly<Record<string, (source: SettingsSource) => Promise<void>>> = {
  sandbox: async (source) => (await loadSandbox('sandbox'))(source),
  network: async (source) => (await loadSandbox('network'))(source),
  relay: relayCommand,
};

const HELP = `offerlet: partner offers on thank-you and order-status pages

${USAGE.relay('offerlet relay')}${USAGE.sandbox('offerlet sandbox')}${USAGE.network('offerlet network')}
The commands sandbox and network require the package offerlet-sandbox (npx offerlet-sandbox).
${USAGE_NOTES}`;

runProgram(async ([name = 'help', ...argv]) => {
  const isHelp = ['help', '--help', '-h'].includes(name) || argv.includes('--help');
  if (isHelp) return void process.stdout.write(HELP);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command)
    throw new UsageError(`Unknown command "${name}". Use relay, sandbox or network; "offerlet --help" describes them.`);
  await command({ argv, env: process.env });
});
