#!/usr/bin/env node
import { isGroup } from './cli/command.ts';
import { COMMANDS, SANDBOX_COMMANDS } from './cli/commands.ts';
import { suggest } from './wire/didYouMean.ts';
import { describeAll, helpFor, helpForGroup } from './cli/helpFor.ts';
import { installedVersion } from './cli/readInstalled.ts';
import { loadSandbox } from './cli/loadSandbox.ts';
import { runProgram } from './cli/runProgram.ts';
import { subcommandOf } from './cli/subcommandOf.ts';
import { UsageError } from './cli/UsageError.ts';

const ALL = { ...COMMANDS, ...SANDBOX_COMMANDS };

const HELP = `offerlet: partner offers on thank-you and order-status pages

Usage: offerlet COMMAND [options]

Commands:
${describeAll(Object.entries(ALL).map(([name, { summary }]) => ({ call: `offerlet ${name}`, about: summary })))}

Use "offerlet COMMAND --help" for the options of a command, "offerlet --version" for the version.
sandbox and network are in the package offerlet-sandbox, where it is installed: see docs/sandbox.md
`;

runProgram(async ([name = 'help', ...argv]) => {
  if (['help', '--help', '-h'].includes(name)) return void process.stdout.write(HELP);
  if (name === '--version' || name === '-v') return void process.stdout.write(`${installedVersion()}\n`);
  const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const command = found ?? (name === 'sandbox' || name === 'network' ? await loadSandbox(name) : undefined);
  if (!command)
    throw new UsageError(
      `Unknown command "${name}".${suggest(name, Object.keys(ALL))} "offerlet --help" describes all.`,
    );
  if (!isGroup(command)) {
    const call = subcommandOf({ name, command, argv });
    if (isHelp(argv)) return void process.stdout.write(helpFor(`offerlet ${call.name}`, call.command));
    return call.command.run({ argv: call.argv, env: process.env });
  }
  const [word, ...rest] = argv;
  const known = Object.keys(command.commands);
  const one = word !== undefined && Object.hasOwn(command.commands, word) ? command.commands[word] : undefined;
  if (one && isHelp(rest)) return void process.stdout.write(helpFor(`offerlet ${name} ${word ?? ''}`, one));
  if (one) return one.run({ argv: rest, env: process.env });
  if (isHelp(argv)) return void process.stdout.write(helpForGroup(`offerlet ${name}`, command));
  throw new UsageError(
    word === undefined
      ? `"offerlet ${name}" is not complete. Add one of ${known.join(', ')}, such as "offerlet ${name} ${known[0] ?? ''}".`
      : `Unknown command "${name} ${word}".${suggest(word, known)}`,
  );
});

function isHelp(argv: readonly string[]): boolean {
  return argv.includes('--help') || argv.includes('-h');
}
