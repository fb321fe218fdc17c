import { OUTPUT, type SettingsOf } from '../../program/command.ts';
import { UsageError } from '../../program/ExitError.ts';
import { safeText } from '../../program/terminal.ts';
import { addExclusions, readExclusions, replaceExclusions } from '../operations/changeExclusions.ts';
import { decodeList } from '../publishers/readPublisherList.ts';
import type { Taxonomy } from '../publishers/taxonomy.ts';
import { plural } from '../reports/format.ts';
import {
  excludeOfMany,
  placeText,
  printable,
  readAdded,
  readChosen,
  refuseToForget,
  type Row,
} from './exclusionsOfMany.ts';
import { askToGoOn, readInput } from './input.ts';
import { operatorCommand, type CommandContext } from './operatorCommand.ts';
import { findNamedPublisher, readTaxonomy } from './publisherCommands.ts';

/** Words on one command line: more than any network has subcategories. */
const MAX_WORDS = 2_000;

const SCOPE = {
  publisher: {
    kind: 'text',
    value: 'ID',
    about: 'Only for this publisher (id or name), in addition to those of the channel.',
  },
} as const;
const LIST = {
  file: {
    kind: 'text',
    value: 'FILE',
    about: 'File with one id or name on each line; - is stdin.',
  },
} as const;
const WAYS = {
  'dry-run': { kind: 'flag', about: 'Only shows what would change.' },
  yes: { kind: 'flag', about: 'Does not ask. Without a terminal it is required where the command would ask.' },
} as const;
const MANY = {
  'publisher-file': {
    kind: 'text',
    value: 'FILE',
    about: 'For each publisher in this file: one id or name on each line, or a CSV with a column publisher_id.',
  },
  all: {
    kind: 'flag',
    about: 'For each approved publisher, one by one. Publishers that come later are not among them.',
  },
} as const;
const EDIT = { ...SCOPE, ...MANY, ...LIST, ...WAYS, output: OUTPUT } as const;
const REMOVE = {
  ...EDIT,
  undo: {
    kind: 'text',
    value: 'FILE',
    about: 'Removes exactly what "exclusions add --output FILE" added, and nothing that was excluded before.',
  },
} as const;
const SET = { ...SCOPE, ...LIST, clear: { kind: 'flag', about: 'Excludes nothing.' }, ...WAYS } as const;

/** `offerlet-operator exclusions show`: what is excluded, and by whom. */
export const exclusionsShow = operatorCommand({
  summary: 'Shows the excluded subcategories of the channel, or all that apply to one publisher.',
  usage: '[--publisher ID] [options]',
  options: {
    publisher: { kind: 'text', value: 'ID', about: 'Everything that applies to this publisher: its id or name.' },
  },
  examples: [
    { call: 'offerlet-operator exclusions show', does: 'What no publisher of the channel shows' },
    {
      call: 'offerlet-operator exclusions show --publisher "Juniper & Co"',
      does: 'What this publisher does not show, and who excludes it',
    },
  ],
  async run({ settings, terminal, connection, print }) {
    const channel = connection.channel();
    const named = settings.publisher === undefined ? undefined : await findNamedPublisher(channel, settings.publisher);
    const publisher = named?.publisher;
    const [details, taxonomy] = await Promise.all([channel.details(), readTaxonomy(channel)]);
    const sources: [by: string, ids: readonly string[]][] = [['channel', details.exclusions.subcategories.channel]];
    if (publisher) {
      sources.push(['channel, for this publisher', publisher.exclusions.subcategories.publisher]);
      sources.push(['publisher', publisher.exclusions.subcategories.external]);
    }
    const rows = sources.flatMap(([excluded_by, ids]) =>
      ids.map((subcategory_id) => ({ subcategory_id, subcategory: taxonomy.nameOf(subcategory_id), excluded_by })),
    );
    print({
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
    });
    if (named?.isPartial)
      terminal.note(`"${safeText(settings.publisher ?? '')}" is ${safeText(named.publisher.brand_name)}.`);
    if (rows.length === 0 && !settings.json && !settings.csv) terminal.note('Nothing is excluded.');
  },
});

/** `offerlet-operator exclusions add`: excludes subcategories beside those that are excluded already. */
export const exclusionsAdd = operatorCommand({
  summary: 'Excludes subcategories, or whole categories, beside those that are excluded already.',
  usage: '(ID… | --file FILE) [--publisher ID | --all] [options]',
  maxWords: MAX_WORDS,
  options: EDIT,
  examples: [
    {
      call: 'offerlet-operator exclusions add Wine "Finance & Insurance / *"',
      does: 'One subcategory, and all of a category',
    },
    {
      call: 'offerlet-operator exclusions add Wine --publisher-file shops.csv --dry-run',
      does: 'What would change for each publisher of a file',
    },
    {
      call: 'offerlet-operator exclusions add Wine --all --output added.csv',
      does: 'For every publisher; added.csv undoes it',
    },
  ],
  async run(context) {
    if (isMany(context)) return changeMany(context, 'add');
    await changeExclusions(context, (before, ids) => [...new Set([...before, ...ids])], addExclusions);
  },
});

/** `offerlet-operator exclusions remove`: allows subcategories again. */
export const exclusionsRemove = operatorCommand({
  summary: 'Allows excluded subcategories, or whole categories, again.',
  usage: '(ID… | --undo FILE) [--publisher ID | --all] [options]',
  maxWords: MAX_WORDS,
  options: REMOVE,
  examples: [
    { call: 'offerlet-operator exclusions remove Wine --publisher "Juniper & Co"', does: 'For one publisher' },
    { call: 'offerlet-operator exclusions remove --undo added.csv', does: 'What "exclusions add --output" added' },
  ],
  async run(context) {
    const { undo, file } = context.settings;
    const take = (before: readonly string[], ids: readonly string[]): string[] =>
      before.filter((id) => !ids.includes(id));
    if (undo === undefined) return isMany(context) ? changeMany(context, 'remove') : changeExclusions(context, take);
    if (context.words.length > 0 || file !== undefined || isMany(context) || context.settings.publisher !== undefined)
      throw new UsageError('Use --undo FILE alone: the file says what to remove, and from whose list.');
    const added = await readAdded(undo);
    const wanted = added.flatMap(({ publisher, ...rest }) => (publisher ? [{ publisher, ...rest }] : []));
    const ofChannel = added.find(({ publisher }) => publisher === undefined);
    if (ofChannel) await changeExclusions({ ...context, words: ofChannel.subcategory_ids }, take);
    const taxonomy = await readTaxonomy(context.connection.channel());
    if (wanted.length > 0) await excludeOfMany(context, { kind: 'remove', wanted, taxonomy });
  },
});

function isMany({ settings }: EditContext): boolean {
  const ways = [settings.publisher, settings['publisher-file'], settings.all || undefined].filter(
    (way) => way !== undefined,
  );
  if (ways.length > 1) throw new UsageError('Use one of --publisher, --publisher-file and --all.');
  return ways.length > 0 && settings.publisher === undefined;
}

async function changeMany(context: CommandContext<typeof EDIT>, kind: 'add' | 'remove'): Promise<void> {
  const words = await readWords(context);
  const taxonomy = await readTaxonomy(context.connection.channel());
  // Mistakes in the list are reported before publishers are read.
  const subcategory_ids = idsOf(words, taxonomy);
  const publishers = await readChosen(context, context.settings['publisher-file']);
  const wanted = publishers.map((publisher) => ({ publisher, subcategory_ids }));
  await excludeOfMany(context, { kind, wanted, taxonomy });
}

/** `offerlet-operator exclusions set`: replaces the excluded subcategories of the channel, or of one publisher. */
export const exclusionsSet = operatorCommand({
  summary: 'Replaces the excluded subcategories of the channel, or of one publisher. Asks before it drops any.',
  usage: '(ID… | --file FILE | --clear) [--publisher ID] [--dry-run] [options]',
  maxWords: MAX_WORDS,
  options: SET,
  examples: [
    { call: 'offerlet-operator exclusions set Wine "Food & Drink / Tea" --dry-run', does: 'What would change' },
    {
      call: 'offerlet-operator exclusions set --clear --publisher 6f1c7b7e-58c5-4b53-9d0c-2c9f1d0b7a11',
      does: 'Excludes nothing more for one publisher',
    },
  ],
  run: (context) => changeExclusions(context, (_before, ids) => ids),
});

/** What the three commands have in common; `set` alone has `clear`, and no way to change many lists. */
type EditContext = CommandContext<typeof SCOPE & typeof LIST & typeof WAYS> & {
  readonly settings: { readonly clear?: boolean; readonly output?: string | undefined } & Partial<
    SettingsOf<typeof MANY>
  >;
};

/** Shows what changes, asks for confirmation where required, and changes the list. */
async function changeExclusions(
  context: EditContext,
  afterOf: (before: readonly string[], ids: readonly string[]) => readonly string[],
  write = replaceExclusions,
): Promise<void> {
  const { settings, terminal, connection, progress } = context;
  const words = await readWords(context);
  const channel = connection.channel();
  const taxonomy = await readTaxonomy(channel);
  // Mistakes in the list are reported before a publisher is looked for.
  const ids = idsOf(words, taxonomy);
  const named = settings.publisher === undefined ? undefined : await findNamedPublisher(channel, settings.publisher);
  if (named?.publisher.publisher_remote_id === null)
    throw new UsageError('--publisher is a pending request; only approved publishers have exclusions.');
  const scope = await readExclusions(channel, named?.publisher.publisher_remote_id ?? undefined);
  const after = afterOf(scope.subcategory_ids, ids);
  const added = after.filter((id) => !scope.subcategory_ids.includes(id));
  const removed = scope.subcategory_ids.filter((id) => !after.includes(id));
  const isChanged = added.length + removed.length > 0;
  progress.end();
  const whose = scope.publisher ? `${safeText(scope.publisher.name)} in` : 'all publishers of';
  const place = `${whose} ${placeText(connection, scope.channel)}`;
  if (isChanged && !settings['dry-run'] && !settings.yes) {
    const reasons = [
      ...words.flatMap((text) => {
        const whole = taxonomy.category(text);
        return whole
          ? [
              `"${whole.name}" is a whole category, of ${plural(whole.subcategories.length, 'subcategory', 'subcategories')}.`,
            ]
          : [];
      }),
      ...(named?.isPartial
        ? [
            `"${safeText(settings.publisher ?? '')}" is only a part of the name "${safeText(named.publisher.brand_name)}".`,
          ]
        : []),
      ...(settings.clear !== undefined && removed.length > 0
        ? [`This allows again what is excluded now: ${removed.map((id) => taxonomy.nameOf(id)).join(', ')}.`]
        : []),
    ];
    if (reasons.length > 0) await askToGoOn(terminal, `${reasons.join(' ')} It is about ${place}.`);
  }
  if (settings.output !== undefined) await refuseToForget(settings.output);
  const show = (ifAdded: Row['change'], ifRemoved: Row['change']): void => {
    const changeOf = (id: string): Row['change'] =>
      added.includes(id) ? ifAdded : removed.includes(id) ? ifRemoved : 'kept';
    const rows = [...after, ...removed].map((subcategory_id) => ({
      change: changeOf(subcategory_id),
      publisher_id: scope.publisher?.id ?? null,
      publisher_name: scope.publisher?.name ?? null,
      subcategory_id,
      subcategory: taxonomy.nameOf(subcategory_id),
      reason: null,
    }));
    context.print(printable(rows, settings['dry-run'], { subcategory_ids: after, added, removed }));
  };
  if (settings['dry-run']) show('to add', 'to remove');
  else if (isChanged) {
    // Before the change: on a full disk, nothing would say what to undo.
    if (settings.output !== undefined) show('unknown', 'kept');
    await write(channel, { publisher: scope.publisher?.id, before: scope.subcategory_ids, after });
  }
  if (!settings['dry-run']) show('added', 'removed');
  const what = `${added.length} added, ${removed.length} removed, ${after.length} excluded for ${place}`;
  terminal.note(settings['dry-run'] ? `Dry run, nothing was changed: ${what}.` : `${what}.`);
}

/** The ids or names that a command line or a file has. */
async function readWords({ settings: { file, clear }, words }: EditContext): Promise<readonly string[]> {
  const ways = [words.length > 0, file !== undefined, clear === true].filter(Boolean).length;
  if (ways !== 1)
    throw new UsageError(
      `Use one of: the ids or names of subcategories, or ${clear === undefined ? '--file FILE.' : '--file FILE, or --clear. The list replaces the current one.'}`,
    );
  if (clear) return [];
  if (file === undefined) return words;
  const wanted = listIn(decodeList(await readInput(file, '--file')).text);
  if (wanted.length === 0)
    throw new UsageError(
      `--file has no ids: "${file}".${clear === undefined ? '' : ' Use --clear to exclude nothing.'}`,
    );
  return wanted;
}

/** Reads one id on each line; what follows a comma, and comments, are ignored. */
function listIn(text: string): string[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map(
      (line) =>
        /^[^#,;\t]*/
          .exec(line)?.[0]
          .trim()
          .replace(/^"(.*)"$/, '$1') ?? '',
    )
    .filter((line) => line !== '' && line !== 'subcategory_id');
}

function idsOf(wanted: readonly string[], taxonomy: Taxonomy): string[] {
  const ids = new Set<string>();
  for (const text of wanted) {
    const found = taxonomy.subcategories(text);
    if ('problem' in found) throw new UsageError(found.problem);
    for (const id of found.ids) ids.add(id);
  }
  return [...ids];
}
