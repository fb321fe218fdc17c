import { PUBLISHER_STATUSES } from '../../wire/channel.ts';
import { didYouMean } from '../../wire/didYouMean.ts';
import { safeText } from '../../cli/output/displayWidth.ts';
import { print } from '../../cli/output/print.ts';
import { UsageError } from '../../cli/UsageError.ts';
import { operatorCommand } from './operatorCommand.ts';
import type { Publisher, PublisherStatus } from '../../clients.ts';
import type { Tone } from '../../cli/output/tone.ts';

/** `offerlet publishers list`: all publishers and pending requests, newest first. */
export const publishersList = operatorCommand({
  summary: 'Lists publishers and pending requests, newest first.',
  options: {
    query: { kind: 'text', value: 'WORDS', about: 'Words of the name; one of them must match.' },
    status: {
      kind: 'text',
      value: 'STATUS',
      completes: PUBLISHER_STATUSES,
      about: 'Only those with this status: pending, needs_info, approved or rejected.',
    },
  },
  examples: [
    { call: 'offerlet publishers list --status pending', does: 'What waits for a decision' },
    { call: 'offerlet publishers list --query acme --csv > acme.csv', does: 'A spreadsheet of all that match' },
  ],
  async run({ settings, terminal, connection, progress }) {
    const status = readStatus(settings.status);
    const publishers: Publisher[] = [];
    for await (const publisher of connection.channel().allPublishers({ q: settings.query, status })) {
      publishers.push(publisher);
      progress.step(`Read ${publishers.length} publishers …`);
    }
    progress.end();
    print(
      {
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
      },
      { format: settings, terminal },
    );
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
export function toneOf(status: string): Tone | undefined {
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
