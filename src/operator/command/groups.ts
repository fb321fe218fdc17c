import type { CommandGroup } from '../../cli/command.ts';
import { exclusionsSet, exclusionsShow } from './exclusionCommands.ts';
import { categoriesList, publishersList, publishersRemove, publishersShow } from './publisherCommands.ts';
import { publishersAdd } from './publishersAdd.ts';

/** `offerlet publishers …` */
export const publishersGroup: CommandGroup = {
  summary: 'Lists, shows, adds and removes the publishers of a channel.',
  commands: { list: publishersList, show: publishersShow, add: publishersAdd, remove: publishersRemove },
};

/** `offerlet categories …` */
export const categoriesGroup: CommandGroup = {
  summary: 'Lists the categories of the network.',
  commands: { list: categoriesList },
};

/** `offerlet exclusions …` */
export const exclusionsGroup: CommandGroup = {
  summary: 'Shows and sets the categories that a channel excludes.',
  commands: { show: exclusionsShow, set: exclusionsSet },
};
