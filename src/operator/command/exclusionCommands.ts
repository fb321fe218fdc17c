import { print } from '../../cli/output/print.ts';
import { safeText } from '../../cli/output/terminal.ts';
import { operatorCommand } from './operatorCommand.ts';
import { findNamedPublisher, readTaxonomy } from './publisherCommands.ts';

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
    const named = settings.publisher === undefined ? undefined : await findNamedPublisher(channel, settings.publisher);
    const publisher = named?.publisher;
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
    if (named?.isPartial)
      terminal.note(`"${safeText(settings.publisher ?? '')}" is ${safeText(named.publisher.brand_name)}.`);
    if (rows.length === 0 && !settings.json && !settings.csv) terminal.note('Nothing is excluded.');
  },
});
