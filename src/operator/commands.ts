// The entry offerlet-operator/commands: what `offerlet-operator` runs, and `offerlet-operator publishers` and the like too.
import type { Command, CommandGroup } from '../program/command.ts';
import { consoleCommand } from './command/consoleCommand.ts';
import { exclusionsAdd, exclusionsRemove, exclusionsSet, exclusionsShow } from './command/exclusionCommands.ts';
import { categoriesList, publishersList, publishersRemove, publishersShow } from './command/publisherCommands.ts';
import { publishersAdd } from './command/publishersAdd.ts';
import { reportCommand } from './command/reportCommand.ts';
import { statementCommand } from './command/statementCommand.ts';
import { watchCommand } from './command/watchCommand.ts';
import { whoami } from './command/whoami.ts';

/** The commands by name, in the order of `--help`. */
export const commands: Readonly<Record<string, Command | CommandGroup>> = {
  publishers: {
    summary: 'Lists, shows, adds and removes the publishers of a channel.',
    commands: { list: publishersList, show: publishersShow, add: publishersAdd, remove: publishersRemove },
  },
  categories: { summary: 'Lists the categories of the network.', commands: { list: categoriesList } },
  exclusions: {
    summary: 'Shows and changes the categories that a channel excludes.',
    commands: { show: exclusionsShow, add: exclusionsAdd, remove: exclusionsRemove, set: exclusionsSet },
  },
  report: reportCommand,
  statement: statementCommand,
  watch: watchCommand,
  console: consoleCommand,
  whoami,
};
