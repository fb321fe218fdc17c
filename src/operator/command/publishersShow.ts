import { NotFoundError, type ChannelClient, type PublisherDetail } from '../../clients.ts';
import { EXIT, ExitError } from '../../cli/ExitError.ts';
import { safeText } from '../../cli/output/displayWidth.ts';
import { print } from '../../cli/output/print.ts';
import type { Cell } from '../../cli/output/table.ts';
import { findPublisherId } from './findPublisherId.ts';
import { operatorCommand, requireWord } from './operatorCommand.ts';
import { toneOf } from './publishersList.ts';
import type { Taxonomy } from '../publishers/taxonomy.ts';
import { readTaxonomy } from './readTaxonomy.ts';

/** `offerlet publishers show ID`: one publisher, and what is excluded for it. */
export const publishersShow = operatorCommand({
  summary: 'Shows one publisher or pending request, and what is excluded for it.',
  usage: 'ID [options]',
  maxWords: 1,
  options: {},
  examples: [
    {
      call: 'offerlet publishers show 6f1c7b7e-58c5-4b53-9d0c-2c9f1d0b7a11',
      does: 'One publisher, by the id that "publishers list" prints',
    },
  ],
  async run({ settings, words, terminal, connection, progress }) {
    const id = requireWord(words, 'ID');
    const channel = connection.channel();
    const publisher = await findPublisher(channel, id);
    const [taxonomy, details] = settings.csv
      ? [undefined, undefined]
      : await Promise.all([readTaxonomy(channel), channel.details()]);
    progress.end();
    const { external, publisher: own } = publisher.exclusions.subcategories;
    const channelWide = details?.exclusions.subcategories.channel ?? [];
    const lines: [string, Cell][] = [
      ['Name', { text: safeText(publisher.brand_name), tone: 'strong' }],
      ['Status', { text: safeText(publisher.status), tone: toneOf(publisher.status) }],
      ['Publisher id', safeText(publisher.publisher_remote_id ?? '–')],
      ['Request id', safeText(publisher.pending_publisher_id ?? '–')],
      ['Category', safeText(publisher.primary_category)],
      ['Created', safeText(publisher.created_at)],
      ['Publishable key', safeText(publisher.api_key ?? '–')],
      ...linesOf('Channel excludes', namesOf(taxonomy, channelWide)),
      ...linesOf('You exclude for it', namesOf(taxonomy, own)),
      ...linesOf('It excludes itself', namesOf(taxonomy, external)),
    ];
    print(
      {
        json: { publisher, channel_exclusions: channelWide },
        csv: { rows: [flat(publisher)], columns: Object.keys(flat(publisher)) },
        table: () => ({ columns: [{ header: 'FIELD', isFixed: true }, { header: 'VALUE' }], rows: lines }),
      },
      { format: settings, terminal },
    );
  },
});

/** Returns the publisher that `--publisher` names by its id or its name. Throws an `ExitError` unless exactly one matches. */
export async function findNamedPublisher(channel: ChannelClient, text: string): Promise<PublisherDetail> {
  return findPublisher(channel, await findPublisherId(channel, { text, option: '--publisher' }));
}

/** Returns a publisher. Throws an `ExitError` if no publisher has the id. */
export async function findPublisher(channel: ChannelClient, id: string): Promise<PublisherDetail> {
  try {
    return await channel.publisher(id);
  } catch (error) {
    if (error instanceof NotFoundError) throw noPublisher(id);
    throw error;
  }
}

/** The end of a command whose publisher does not exist. */
export function noPublisher(id: string): ExitError {
  const shown = safeText(id).slice(0, 80);
  return new ExitError(
    `Your channel has no publisher with the id "${shown}". "offerlet publishers list --query ${/^[\w-]{1,40}$/.test(shown) && !/^[0-9a-f-]{30,}$/i.test(shown) ? shown : 'NAME'}" finds it by name.`,
    EXIT.notFound,
  );
}

function namesOf(taxonomy: Taxonomy | undefined, ids: readonly string[]): string[] {
  return ids.length === 0 ? ['nothing'] : ids.map((id) => safeText(taxonomy?.nameOf(id) ?? id));
}

/** One line for each value; the field is named once. */
function linesOf(field: string, values: readonly string[]): [string, Cell][] {
  return values.map((value, index) => [index === 0 ? field : '', value]);
}

function flat({ exclusions, ...publisher }: PublisherDetail): object {
  const { external, publisher: own } = exclusions.subcategories;
  return { ...publisher, excluded_by_channel: own.join(' '), excluded_by_publisher: external.join(' ') };
}
