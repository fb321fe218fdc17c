import { print, type Cell } from '../../cli/output/print.ts';
import { decodeList } from '../publishers/decodeList.ts';
import { UsageError } from '../../cli/UsageError.ts';
import { NotFoundError } from '../clients/errors.ts';
import { readInput, operatorCommand } from './operatorCommand.ts';
import { findNamedPublisher, readTaxonomy, noPublisher } from './publisherCommands.ts';
import type { Taxonomy } from '../publishers/taxonomy.ts';

/** `offerlet-operator exclusions show`: what is excluded, and by whom. */
export const exclusionsShow = operatorCommand({
  summary: 'Shows the excluded subcategories of the channel, or all that apply to one publisher.',
  usage: '[--publisher ID] [options]',
  options: {
    publisher: {
      kind: 'text',
      value: 'ID',
      about: 'Everything that applies to this publisher: its id or name.',
    },
  },
  examples: [
    { call: 'offerlet-operator exclusions show', does: 'What no publisher of the channel shows' },
    {
      call: 'offerlet-operator exclusions show --publisher "Juniper & Co"',
      does: 'What this publisher does not show, and who excludes it',
    },
  ],
  async run({ settings, terminal, connection, progress }) {
    const channel = connection.channel();
    const publisher =
      settings.publisher === undefined ? undefined : await findNamedPublisher(channel, settings.publisher);
    const [details, taxonomy] = await Promise.all([channel.details(), readTaxonomy(channel)]);
    progress.end();
    const sources: [by: string, ids: readonly string[]][] = [['channel', details.exclusions.subcategories.channel]];
    if (publisher) {
      sources.push(['channel, for this publisher', publisher.exclusions.subcategories.publisher]);
      sources.push(['publisher', publisher.exclusions.subcategories.external]);
    }
    const rows = sources.flatMap(([excluded_by, ids]) =>
      ids.map((subcategory_id) => ({ subcategory_id, subcategory: taxonomy.nameOf(subcategory_id), excluded_by })),
    );
    print(
      {
        json: {
          channel: details.exclusions.subcategories.channel,
          ...(publisher && {
            publisher: publisher.exclusions.subcategories.publisher,
            external: publisher.exclusions.subcategories.external,
          }),
        },
        csv: { rows, columns: ['subcategory_id', 'subcategory', 'excluded_by'] },
        table: () => ({
          columns: [{ header: 'SUBCATEGORY' }, { header: 'EXCLUDED BY' }, { header: 'ID', isFixed: true }],
          rows: rows.map(({ subcategory_id, subcategory, excluded_by }) => [subcategory, excluded_by, subcategory_id]),
        }),
      },
      { format: settings, terminal },
    );
    if (rows.length === 0 && !settings.json && !settings.csv) terminal.note('Nothing is excluded.');
  },
});

/** Words on one command line: more than any network has subcategories. */
const MAX_WORDS = 2_000;

/** `offerlet-operator exclusions set`: replaces the excluded subcategories of the channel, or of one publisher. */
export const exclusionsSet = operatorCommand({
  summary: 'Replaces the excluded subcategories of the channel, or those of the channel for one publisher.',
  usage: '(ID… | --file FILE | --clear) [--publisher ID] [--dry-run] [options]',
  maxWords: MAX_WORDS,
  options: {
    publisher: {
      kind: 'text',
      value: 'ID',
      about: 'Only for this publisher (id or name), in addition to those of the channel.',
    },
    file: {
      kind: 'text',
      value: 'FILE',
      completes: 'file',
      about: 'File with one id or name on each line, or a JSON array; - is stdin.',
    },
    clear: { kind: 'flag', about: 'Excludes nothing.' },
    'dry-run': { kind: 'flag', about: 'Only shows what would change.' },
  },
  examples: [
    { call: 'offerlet-operator exclusions set "Spirits" "Gambling / Lotteries" --dry-run', does: 'What would change' },
    {
      call: 'offerlet-operator exclusions set --clear --publisher 6f1c7b7e-58c5-4b53-9d0c-2c9f1d0b7a11',
      does: 'Excludes nothing more for one publisher',
    },
  ],
  async run({ settings, words, terminal, connection, progress }) {
    const wanted = await readWanted(settings, words);
    const channel = connection.channel();
    const taxonomy = await readTaxonomy(channel);
    const after = resolve(wanted, taxonomy);
    const publisher =
      settings.publisher === undefined ? undefined : await findNamedPublisher(channel, settings.publisher);
    if (publisher?.publisher_remote_id === null)
      throw new UsageError('--publisher is a pending request; only approved publishers have exclusions.');
    const before = publisher
      ? publisher.exclusions.subcategories.publisher
      : (await channel.details()).exclusions.subcategories.channel;
    if (!settings['dry-run']) {
      if (publisher?.publisher_remote_id == null) await channel.setChannelExclusions(after);
      else
        await channel.setPublisherExclusions(publisher.publisher_remote_id, after).catch((error: unknown) => {
          throw error instanceof NotFoundError ? noPublisher(publisher.publisher_remote_id ?? '') : error;
        });
    }
    progress.end();
    const rows = changesBetween(before, after).map(({ id, change }) => ({
      change,
      subcategory_id: id,
      subcategory: taxonomy.nameOf(id),
    }));
    print(
      {
        json: {
          subcategory_ids: after,
          added: idsOf(rows, 'added'),
          removed: idsOf(rows, 'removed'),
          dry_run: settings['dry-run'],
        },
        csv: { rows, columns: ['change', 'subcategory_id', 'subcategory'] },
        table: () => ({
          columns: [{ header: ' ' }, { header: 'SUBCATEGORY' }, { header: 'ID', isFixed: true }],
          rows: rows.map(({ change, subcategory_id, subcategory }): Cell[] => [
            MARKS[change],
            change === 'kept' ? subcategory : { text: subcategory, tone: change === 'added' ? 'good' : 'bad' },
            subcategory_id,
          ]),
        }),
      },
      { format: settings, terminal },
    );
    const [added, removed] = [idsOf(rows, 'added').length, idsOf(rows, 'removed').length];
    const what = `${added} added, ${removed} removed, ${after.length} excluded ${publisher ? `for ${publisher.brand_name}` : 'in the channel'}`;
    terminal.note(settings['dry-run'] ? `Dry run, nothing was changed: ${what}.` : `${what}.`);
  },
});

type Change = 'kept' | 'added' | 'removed';
const MARKS: Readonly<Record<Change, Cell>> = {
  kept: ' ',
  added: { text: '+', tone: 'good' },
  removed: { text: '-', tone: 'bad' },
};

function changesBetween(before: readonly string[], after: readonly string[]): { id: string; change: Change }[] {
  return [
    ...after.map((id) => ({ id, change: before.includes(id) ? ('kept' as const) : ('added' as const) })),
    ...before.filter((id) => !after.includes(id)).map((id) => ({ id, change: 'removed' as const })),
  ];
}

function idsOf(rows: readonly { change: Change; subcategory_id: string }[], change: Change): string[] {
  return rows.filter((row) => row.change === change).map((row) => row.subcategory_id);
}

async function readWanted(
  { file, clear }: { file?: string | undefined; clear: boolean },
  words: readonly string[],
): Promise<readonly string[]> {
  const ways = [words.length > 0, file !== undefined, clear].filter(Boolean).length;
  if (ways !== 1)
    throw new UsageError(
      'Use one of: the ids or names of the subcategories to exclude, --file FILE, or --clear. The list replaces the current one.',
    );
  if (clear) return [];
  if (file === undefined) return words;
  const wanted = listIn(decodeList(await readInput(file, '--file')).text);
  if (wanted.length === 0) throw new UsageError(`--file has no ids: "${file}". Use --clear to exclude nothing.`);
  return wanted;
}

/** Reads a JSON array, or one id on each line; what follows a comma, and comments, are ignored. */
function listIn(text: string): string[] {
  if (text.trimStart().startsWith('[')) {
    const list = parseList(text);
    if (list) return list;
    throw new UsageError('--file is not a valid JSON array of ids.');
  }
  return text
    .split(/\r?\n/)
    .map(
      (line) =>
        line
          .replace(/^\uFEFF/, '')
          .replace(/#.*$/, '')
          .split(/[,;\t]/, 1)[0]
          ?.trim()
          .replace(/^"(.*)"$/, '$1') ?? '',
    )
    .filter((line) => line !== '' && line !== 'subcategory_id');
}

function parseList(text: string): string[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : undefined;
  } catch {
    return undefined;
  }
}

function resolve(wanted: readonly string[], taxonomy: Taxonomy): string[] {
  const ids = new Set<string>();
  for (const text of wanted) {
    const found = taxonomy.subcategory(text);
    if ('problem' in found) throw new UsageError(found.problem);
    ids.add(found.id);
  }
  return [...ids];
}
