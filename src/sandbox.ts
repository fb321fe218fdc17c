#!/usr/bin/env node
import { runProgram } from './cli/runProgram.ts';
import { UsageError } from './cli/settings.ts';
import { USAGE, USAGE_NOTES } from './cli/usage.ts';
import { commands } from './commands.ts';

const HELP = `offerlet-sandbox: a partner network, a relay and a demo shop on this machine

${USAGE.sandbox('offerlet-sandbox')}${USAGE.network('offerlet-sandbox network')}
${USAGE_NOTES}`;

runProgram(async (argv) => {
  const isNamed = argv[0] !== undefined && !argv[0].startsWith('-');
  const [name, rest] = isNamed ? [argv[0], argv.slice(1)] : ['sandbox', argv];
  if (name === 'help' || rest.includes('--help') || rest.includes('-h')) return void process.stdout.write(HELP);
  if (name !== 'sandbox' && name !== 'network')
    throw new UsageError(`Unknown command "${name}". Use offerlet-sandbox or offerlet-sandbox network.`);
  await commands[name]({ argv: rest, env: process.env });
});
