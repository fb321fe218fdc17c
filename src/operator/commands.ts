// The entry offerlet-operator/commands: what `offerlet-operator` runs, and `offerlet-operator publishers` and the like too.
import type { Command, CommandGroup } from '../cli/command.ts';
import { createCompletionCommand } from './command/completion.ts';
import { consoleCommand } from './command/consoleCommand.ts';
import { changesList, exclusionsUndo } from './command/changeCommands.ts';
import { exclusionsAdd, exclusionsRemove, exclusionsSet, exclusionsShow } from './command/exclusionCommands.ts';
import { profilesAdd, profilesList, profilesRemove } from './command/profiles.ts';
import { categoriesList, publishersList, publishersRemove, publishersShow } from './command/publisherCommands.ts';
import { publishersAdd } from './command/publishersAdd.ts';
import { reportCommand } from './command/reportCommand.ts';
import { reportsList, reportsRun } from './command/savedReportCommands.ts';
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
    summary: 'Shows and changes the categories that a channel excludes, and takes a change back.',
    commands: {
      show: exclusionsShow,
      add: exclusionsAdd,
      remove: exclusionsRemove,
      set: exclusionsSet,
      undo: exclusionsUndo,
    },
  },
  report: reportCommand,
  reports: {
    summary: 'Lists the saved reports of a file, and prints one by its name.',
    commands: { list: reportsList, run: reportsRun },
  },
  statement: statementCommand,
  watch: watchCommand,
  console: consoleCommand,
  changes: changesList,
  profiles: {
    summary: 'Lists, adds and removes profiles: a network and its key by one name.',
    commands: { list: profilesList, add: profilesAdd, remove: profilesRemove },
  },
  whoami,
  completion: createCompletionCommand(() => commands),
};
