import { EXIT, ExitError, UsageError } from '../../cli/ExitError.ts';
import { safeText, openTerminal } from '../../cli/output/terminal.ts';
import { print } from '../../cli/output/print.ts';
import { type Command, readCall, FORMAT } from '../../cli/command.ts';
import { listOf, openChangeLog, type LoggedChange, changesOf, isSameList, openChanges } from '../changeLog.ts';
import type { Taxonomy } from '../publishers/taxonomy.ts';
import { plural } from '../reports/format.ts';
import { askToGoOn, operatorCommand } from './operatorCommand.ts';
import { differencesOf, placeOf, printDifferences, readScope, replaceExclusions } from './exclusionCommands.ts';
import { readTaxonomy } from './publisherCommands.ts';

const LISTED = {
  limit: { kind: 'text', value: 'N', default: '20', about: 'The latest ones only; 20 by default.' },
  ...FORMAT,
} as const;

/** `offerlet-operator changes`: what was changed from this account, and by whom. */
export const changesList: Command = {
  summary: 'Lists the changes that were made from this account: by commands, and in the console.',
  options: LISTED,
  environment: '',
  examples: [
    { call: 'offerlet-operator changes', does: 'The latest changes, newest first' },
    { call: 'offerlet-operator changes --limit 1000 --json', does: 'With what was there before and after' },
  ],
  async run({ argv, env }) {
    const { settings } = readCall(LISTED, { argv, env: {} });
    if (!/^[1-9]\d{0,5}$/.test(settings.limit))
      throw new UsageError(`--limit is not a number of changes: "${settings.limit}". Use 1 or more.`);
    const terminal = openTerminal({ env });
    const log = openChangeLog({ from: 'command', env });
    const changes = log.read().toReversed().slice(0, Number(settings.limit));
    const rows = changes.map((change) => ({
      id: change.id,
      at: change.at,
      by: change.by,
      from: change.from,
      channel: change.channel,
      environment: change.environment,
      action: change.action,
      publisher: change.publisher?.name ?? null,
      what: whatOf(change),
      outcome: change.outcome,
      undoes: change.undoes ?? null,
    }));
    const [first] = rows;
    print(
      {
        json: { path: log.path, changes },
        csv: { rows, columns: first ? Object.keys(first) : [] },
        table: () => ({
          columns: [
            { header: 'ID', isFixed: true },
            { header: 'WHEN (UTC)', isFixed: true },
            { header: 'CHANNEL', rank: 1 },
            { header: 'WHAT' },
            { header: 'OUTCOME', isFixed: true },
            { header: 'BY', rank: 2 },
          ],
          rows: rows.map(({ id, at, channel, environment, publisher, action, what, outcome, by, from }) => [
            safeText(id),
            at.slice(0, 16).replace('T', ' '),
            {
              text: safeText(`${channel ?? ''}${environment === 'production' ? ' (PRODUCTION)' : ''}`),
              tone: environment === 'production' ? 'bad' : undefined,
            },
            safeText(
              [action, publisher === null || action !== 'exclusions' ? what : `of ${publisher}: ${what}`].join(' '),
            ),
            { text: outcome, tone: outcome === 'done' ? 'good' : 'bad' },
            safeText(`${by}, ${from}`),
          ]),
        }),
      },
      { format: settings, terminal },
    );
    if (rows.length === 0) terminal.note(`Nothing was changed from this account yet. The log will be "${log.path}".`);
  },
};

function whatOf({ action, before, after, publisher }: LoggedChange): string {
  const [was, is] = [listOf(before), listOf(after)];
  if (action === 'publishers added') return plural(is.length, 'request');
  if (action === 'publisher removed') return publisher?.name ?? '';
  return `+${is.filter((id) => !was.includes(id)).length} -${was.filter((id) => !is.includes(id)).length}`;
}

/** `offerlet-operator exclusions undo`: takes the latest change back, or the one of an id. */
export const exclusionsUndo = operatorCommand({
  summary: 'Takes back the latest change of exclusions that was made from this account, or the one with that id.',
  usage: '[ID] [--dry-run] [--yes] [options]',
  maxWords: 1,
  options: {
    'dry-run': { kind: 'flag', about: 'Only shows what would change.' },
    yes: { kind: 'flag', about: 'Does not ask. Required without a terminal.' },
  },
  examples: [
    { call: 'offerlet-operator exclusions undo', does: 'Shows the latest change, and asks before it takes it back' },
  ],
  async run({ settings, words, terminal, connection, progress, print }) {
    const channel = connection.channel();
    const [details, taxonomy] = await Promise.all([channel.details(), readTaxonomy(channel)]);
    const own = changesOf(connection.changes.read(), { network: connection.url, channel: details.name });
    const change = pickChange(own, words[0]);
    const [before, after] = [listOf(change.before), listOf(change.after)];
    const scope = await readScope(channel, change.publisher?.id);
    progress.end();
    const when = `The change ${change.id} (${change.at.slice(0, 16).replace('T', ' ')} UTC, ${safeText(change.by)})`;
    if (isSameList(scope.subcategory_ids, before))
      return terminal.note(`${when} has nothing to take back: the list is as it was before.`);
    if (!isSameList(scope.subcategory_ids, after))
      throw new ExitError(
        `${when} cannot be taken back, because the list was changed after it: ${sinceOf(after, scope.subcategory_ids, taxonomy)}. Use "exclusions add" and "exclusions remove" instead.`,
        EXIT.failed,
      );
    const rows = differencesOf(scope.subcategory_ids, before, taxonomy);
    const place = placeOf(connection, scope);
    if (!settings['dry-run']) {
      if (!settings.yes) {
        const words = rows
          .filter((row) => row.change !== 'kept')
          .map((row) => `${row.change === 'added' ? '+' : '-'} ${row.subcategory}`);
        await askToGoOn(terminal, `Taking back the change ${change.id} for ${place}: ${words.join(', ')}.`);
      }
      await replaceExclusions({ connection, channel, scope, after: before, undoes: change.id });
    }
    printDifferences(rows, { settings, print });
    terminal.note(settings['dry-run'] ? `Dry run, nothing was changed.` : `${when} was taken back for ${place}.`);
  },
});

/** The change with that id, or the latest that is not taken back already. */
function pickChange(changes: readonly LoggedChange[], id: string | undefined): LoggedChange {
  const found =
    id === undefined
      ? openChanges(changes).findLast(({ undoes }) => undoes === undefined)
      : changes.find((one) => one.action === 'exclusions' && one.id === id);
  if (found) return found;
  throw new ExitError(
    id === undefined
      ? 'There is no change of exclusions of this channel to take back. "offerlet-operator changes" lists all.'
      : `There is no change "${safeText(id).slice(0, 40)}" of this channel’s exclusions. "offerlet-operator changes" lists all.`,
    EXIT.notFound,
  );
}

/** What others have changed since. */
function sinceOf(expected: readonly string[], found: readonly string[], taxonomy: Taxonomy): string {
  return differencesOf(expected, found, taxonomy)
    .filter(({ change }) => change !== 'kept')
    .map(({ change, subcategory }) => `${subcategory} is ${change === 'added' ? 'excluded' : 'allowed'} now`)
    .join(', ');
}
