import { readUuid } from '../../wire/json.ts';
import { EXIT, ExitError, UsageError } from '../../program/ExitError.ts';
import { safeText, type Terminal, type Tone } from '../../program/terminal.ts';
import type { Cell } from '../../program/print.ts';
import type { ChannelClient } from '../clients/ChannelClient.ts';
import { NotFoundError } from '../clients/errors.ts';
import { readPublisher } from '../operations/readPublisher.ts';
import { ask } from './input.ts';
import { operatorCommand, requireWord } from './operatorCommand.ts';
import { hasAllWords, isSameName } from '../publishers/hasAllWords.ts';
import { type Taxonomy, createTaxonomy } from '../publishers/taxonomy.ts';
import { type Publisher, type PublisherStatus, type PublisherDetail, PUBLISHER_STATUSES } from '../../wire/channel.ts';
import { didYouMean } from '../../text/didYouMean.ts';
import { plural } from '../reports/format.ts';

/** `offerlet-operator publishers list`: all publishers and pending requests, newest first. */
export const publishersList = operatorCommand({
  summary: 'Lists publishers and pending requests, newest first.',
  options: {
    query: { kind: 'text', value: 'WORDS', about: 'Words of the name; one of them must match.' },
    status: {
      kind: 'text',
      value: 'STATUS',
      about: 'Only those with this status: pending, needs_info, approved or rejected.',
    },
  },
  examples: [
    { call: 'offerlet-operator publishers list --status pending', does: 'What waits for a decision' },
    {
      call: 'offerlet-operator publishers list --query acme --csv > acme.csv',
      does: 'A spreadsheet of all that match',
    },
  ],
  async run({ settings, terminal, connection, progress, print }) {
    const status = readStatus(settings.status);
    const publishers: Publisher[] = [];
    for await (const publisher of connection.channel().allPublishers({ q: settings.query, status })) {
      publishers.push(publisher);
      progress.step(`Read ${plural(publishers.length, 'publisher')} …`);
    }
    print({
      json: { count: publishers.length, publishers },
      csv: { rows: publishers.map(flat), columns: CSV_COLUMNS },
      table: () => ({
        columns: [
          { header: 'NAME' },
          { header: 'STATUS', isFixed: true },
          { header: 'ID', isFixed: true },
          { header: 'CATEGORY', rank: 1 },
          { header: 'CREATED', isFixed: true, rank: 2 },
        ],
        rows: publishers.map((publisher) => [
          { text: safeText(publisher.brand_name), tone: 'strong' },
          { text: safeText(publisher.status), tone: toneOf(publisher.status) },
          safeText(idOf(publisher) ?? ''),
          safeText(publisher.primary_category),
          publisher.created_at.slice(0, 10),
        ]),
      }),
    });
    if (publishers.length === 0) terminal.note('No publisher matches.');
  },
});

const CSV_COLUMNS = ['id', 'brand_name', 'status', 'primary_category', 'created_at'];

function flat(publisher: Publisher): object {
  const { brand_name, status, primary_category, created_at } = publisher;
  return { id: idOf(publisher), brand_name, status, primary_category, created_at };
}

/** The id that `show` takes: the remote id, or the pending id of a request. */
function idOf({ publisher_remote_id, pending_publisher_id }: Publisher): string | null {
  return publisher_remote_id ?? pending_publisher_id;
}

/** Returns how a status stands out. */
function toneOf(status: string): Tone | undefined {
  const tones: Readonly<Record<string, Tone>> = {
    APPROVED: 'good',
    REJECTED: 'bad',
    PENDING: 'accent',
    NEEDS_INFO: 'accent',
  };
  return tones[status];
}

function readStatus(text: string | undefined): PublisherStatus | undefined {
  if (text === undefined) return undefined;
  const name = text.toUpperCase().replaceAll('-', '_');
  const status = PUBLISHER_STATUSES.find((one) => one === name);
  if (status) return status;
  const known = PUBLISHER_STATUSES.map((one) => one.toLowerCase());
  throw new UsageError(
    `--status is not a known status: "${text}".${didYouMean(name.toLowerCase(), known)} Use pending, needs_info, approved or rejected.`,
  );
}

/** `offerlet-operator publishers show ID`: one publisher, and what is excluded for it. */
export const publishersShow = operatorCommand({
  summary: 'Shows one publisher or pending request, and what is excluded for it.',
  usage: 'ID [options]',
  maxWords: 1,
  options: {},
  examples: [
    {
      call: 'offerlet-operator publishers show 6f1c7b7e-58c5-4b53-9d0c-2c9f1d0b7a11',
      does: 'One publisher, by the id that "publishers list" prints',
    },
  ],
  async run({ settings, words, connection, print }) {
    const channel = connection.channel();
    const { id } = await findPublisherId(channel, { text: requireWord(words, 'ID'), option: 'ID' });
    const [read, taxonomy] = await Promise.all([
      readPublisher(channel, id).catch(throwUnknown(id)),
      settings.csv ? undefined : readTaxonomy(channel),
    ]);
    const { publisher, channel_exclusions } = read;
    const { external, publisher: own } = publisher.exclusions.subcategories;
    const lines: [string, Cell][] = [
      ['Name', { text: safeText(publisher.brand_name), tone: 'strong' }],
      ['Status', { text: safeText(publisher.status), tone: toneOf(publisher.status) }],
      ['Publisher id', safeText(publisher.publisher_remote_id ?? '–')],
      ['Request id', safeText(publisher.pending_publisher_id ?? '–')],
      ['Category', safeText(publisher.primary_category)],
      ['Created', safeText(publisher.created_at)],
      ['Publishable key', safeText(publisher.api_key ?? '–')],
      ...linesOf('Channel excludes', namesOf(taxonomy, channel_exclusions)),
      ...linesOf('You exclude for it', namesOf(taxonomy, own)),
      ...linesOf('It excludes itself', namesOf(taxonomy, external)),
    ];
    print({
      json: read,
      csv: { rows: [detailOf(publisher)], columns: Object.keys(detailOf(publisher)) },
      table: () => ({ columns: [{ header: 'FIELD', isFixed: true }, { header: 'VALUE' }], rows: lines }),
    });
  },
});

/** Returns the publisher that an option or a word names by its id or its name. Throws an `ExitError` unless exactly one matches. */
export async function findNamedPublisher(
  channel: ChannelClient,
  text: string,
  option = '--publisher',
): Promise<{ readonly publisher: PublisherDetail; readonly isPartial: boolean }> {
  const { id, isPartial } = await findPublisherId(channel, { text, option });
  return { publisher: await channel.publisher(id).catch(throwUnknown(id)), isPartial };
}

/** Ends a command whose publisher does not exist. */
function throwUnknown(id: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof NotFoundError)) throw error;
    const shown = safeText(id).slice(0, 80);
    throw new ExitError(
      `Your channel has no publisher with the id "${shown}". "offerlet-operator publishers list --query ${/^[\w-]{1,40}$/.test(shown) && !/^[0-9a-f-]{30,}$/i.test(shown) ? shown : 'NAME'}" finds it by name.`,
      EXIT.notFound,
    );
  };
}

function namesOf(taxonomy: Taxonomy | undefined, ids: readonly string[]): string[] {
  return ids.length === 0 ? ['nothing'] : ids.map((id) => safeText(taxonomy?.nameOf(id) ?? id));
}

/** One line for each value; the field is named once. */
function linesOf(field: string, values: readonly string[]): [string, Cell][] {
  return values.map((value, index) => [index === 0 ? field : '', value]);
}

function detailOf({ exclusions, ...publisher }: PublisherDetail): object {
  const { external, publisher: own } = exclusions.subcategories;
  return { ...publisher, excluded_by_channel: own.join(' '), excluded_by_publisher: external.join(' ') };
}

/** `offerlet-operator publishers remove ID`: removes an approved publisher, after its name has been typed. */
export const publishersRemove = operatorCommand({
  summary: 'Removes an approved publisher from the channel. Its integration stops getting offers at once.',
  usage: 'ID [--yes] [options]',
  maxWords: 1,
  options: { yes: { kind: 'flag', about: 'Does not ask. Required without a terminal.' } },
  examples: [
    {
      call: 'offerlet-operator publishers remove 6f1c7b7e-58c5-4b53-9d0c-2c9f1d0b7a11',
      does: 'Asks for the name of the publisher, then removes it',
    },
  ],
  async run({ settings, words, terminal, connection, progress, print }) {
    const id = requireWord(words, 'ID');
    const channel = connection.channel();
    if (!settings.yes && !terminal.canAsk)
      throw new UsageError('Without a terminal, the command cannot ask. Use --yes to remove without a question.');
    const { publisher, isPartial } = await findNamedPublisher(channel, id, 'ID');
    const { brand_name, publisher_remote_id } = publisher;
    const name = safeText(brand_name);
    if (isPartial && settings.yes)
      throw new UsageError(
        `"${safeText(id)}" is only a part of the name "${name}". With --yes, use the id or the whole name.`,
      );
    if (publisher_remote_id === null)
      throw new ExitError(`"${name}" is a pending request; only approved publishers can be removed.`, EXIT.failed);
    const details = await channel.details();
    const place = `${safeText(details.name)}${connection.environment === 'production' ? ' (PRODUCTION)' : ''}`;
    progress.end();
    // A name of which nothing can be shown would be confirmed by pressing Enter.
    if (!settings.yes) await confirm(name || safeText(publisher_remote_id), terminal, place);
    await channel.remove(publisher_remote_id).catch(throwUnknown(id));
    const removed = { publisher_remote_id, brand_name, removed: true };
    if (settings.json || settings.csv)
      print({
        json: removed,
        csv: { rows: [removed], columns: Object.keys(removed) },
        table: () => ({ columns: [], rows: [] }),
      });
    else terminal.write(`Removed ${name} (${safeText(publisher_remote_id)}).\n`);
  },
});

async function confirm(name: string, terminal: Terminal, place: string): Promise<void> {
  terminal.note(`This removes ${name} from ${place}. Its integration stops getting offers at once.`);
  const typed = await ask(`Type ${name} to confirm: `);
  if (typed === '' || typed !== name) throw new ExitError('Not removed: the name does not match.', EXIT.failed);
}

/** Names that a message lists. */
const NAMES_MAX = 5;

/** A publisher that an option names. */
export interface NamedPublisher {
  readonly id: string;
  /** Undefined when it was named by its id. */
  readonly name: string | undefined;
  /** Whether the option has a part of the name only: nothing is written then before people have seen whose it is. */
  readonly isPartial: boolean;
}

/**
 * Returns the publisher that an option names by its id, its name, or words that only its name contains. Throws an
 * `ExitError` when none matches, or several do.
 */
export async function findPublisherId(
  channel: ChannelClient,
  { text, option }: { readonly text: string; /** As it is written, such as `--publisher`. */ readonly option: string },
): Promise<NamedPublisher> {
  if (readUuid(text) !== undefined) return { id: text, name: undefined, isPartial: false };
  // An unset variable of a shell must not name the only publisher of a channel.
  if (text.trim() === '')
    throw new ExitError(`${option} is empty. Write the id or the name of a publisher.`, EXIT.usage);
  const found: { id: string; name: string }[] = [];
  for await (const { publisher_remote_id: id, brand_name: name } of channel.allPublishers({ q: text }))
    if (id !== null && hasAllWords(name, text)) found.push({ id, name });
  const exact = found.filter(({ name }) => isSameName(name, text));
  const matches = exact.length > 0 ? exact : found;
  const [only] = matches;
  if (only && matches.length === 1) return { ...only, isPartial: exact.length === 0 };
  const shown = safeText(text).slice(0, 80);
  if (!only)
    throw new ExitError(
      `Your channel has no publisher with the id or name "${shown}". "offerlet-operator publishers list" shows all; only approved ones are found by name.`,
      EXIT.notFound,
    );
  const names = matches.slice(0, NAMES_MAX).map(({ id, name }) => `"${safeText(name)}" (${id})`);
  const more = matches.length > NAMES_MAX ? ', …' : '';
  throw new ExitError(
    `${option} "${shown}" matches ${matches.length} publishers: ${names.join(', ')}${more}. Use the id, or the whole name where it differs.`,
    EXIT.usage,
  );
}

/** `offerlet-operator categories list`: all categories with their subcategories. */
export const categoriesList = operatorCommand({
  summary: 'Lists the categories and their subcategories, with their ids.',
  options: {},
  examples: [
    { call: 'offerlet-operator categories list', does: 'The names and ids for "exclusions set" and "publishers add"' },
    { call: 'offerlet-operator categories list --csv > categories.csv', does: 'One line for each subcategory' },
  ],
  async run({ connection, print }) {
    const categories = await connection.channel().categories();
    print({
      json: { categories },
      csv: {
        columns: ['category_id', 'category', 'subcategory_id', 'subcategory'],
        rows: categories.flatMap((category) =>
          category.subcategories.map((subcategory) => ({
            category_id: category.remote_id,
            category: category.name,
            subcategory_id: subcategory.remote_id,
            subcategory: subcategory.name,
          })),
        ),
      },
      table: () => ({
        columns: [{ header: 'CATEGORY' }, { header: 'ID', isFixed: true }],
        rows: categories.flatMap((category): Cell[][] => [
          [
            { text: safeText(category.name), tone: 'strong' },
            { text: category.remote_id, tone: 'strong' },
          ],
          ...category.subcategories.map(({ name, remote_id }) => [`  ${safeText(name)}`, safeText(remote_id)]),
        ]),
      }),
    });
  },
});

/** Reads the categories of the network, with names that a terminal can show. */
export async function readTaxonomy(channel: ChannelClient): Promise<Taxonomy> {
  const categories = (await channel.categories()).map((category) => ({
    ...category,
    name: safeText(category.name),
    subcategories: category.subcategories.map((one) => ({ ...one, name: safeText(one.name) })),
  }));
  return createTaxonomy(categories, ' "offerlet-operator categories list" shows all.');
}
