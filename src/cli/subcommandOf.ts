import type { Command } from './command.ts';

/** A command as it was called. */
export interface Call {
  readonly name: string;
  readonly command: Command;
  readonly argv: readonly string[];
}

/** Returns the call of the command that the first word names, such as `distribute` after `network`; else the call itself. */
export function subcommandOf(call: Call): Call {
  const [word = '', ...argv] = call.argv;
  const { subcommands = {} } = call.command;
  const command = Object.hasOwn(subcommands, word) ? subcommands[word] : undefined;
  return command ? { name: `${call.name} ${word}`, command, argv } : call;
}
