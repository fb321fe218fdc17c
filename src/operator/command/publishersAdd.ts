import { EXIT, ExitError, UsageError } from '../../program/ExitError.ts';
import { safeText, type Tone } from '../../program/terminal.ts';
import type { Publisher } from '../../wire/channel.ts';
import type { ChannelClient } from '../clients/ChannelClient.ts';
import { readInput } from './input.ts';
import { operatorCommand, type CommandContext } from './operatorCommand.ts';
import { readTaxonomy } from './publisherCommands.ts';
import { untilStopped } from './untilStopped.ts';
import { plural } from '../reports/format.ts';
import type { AddOutcome } from '../publishers/addPublishers.ts';
import { checkPublishers, keyOf, type CheckedPublisher } from '../publishers/checkPublishers.ts';
import {
  decodeList,
  PublisherListError,
  readPublisherList,
  type ListedPublisher,
} from '../publishers/readPublisherList.ts';

/** A 429 must not end a long import: this is about a quarter of an hour of patience. */
const MAX_RETRIES = 15;

const OPTIONS = {
  'dry-run': {
    kind: 'flag',
    about: 'Checks every item, also against the publishers that are there, and sends nothing.',
  },
  failures: { kind: 'flag', about: 'Prints what failed only: invalid, unknown or not sent.' },
  encoding: {
    kind: 'choice',
    choices: ['windows-1252'],
    about: 'Reads a file that is not UTF-8 or UTF-16, which are recognized.',
  },
} as const;

/** `offerlet-operator publishers add [FILE|-]`: requests publishers from a file. It can be run again safely. */
export const publishersAdd = operatorCommand({
  summary: 'Requests publishers from a file, and reports each one. It can be run again safely.',
  usage: '[FILE|-] [--dry-run] [--failures] [options]',
  maxWords: 1,
  options: OPTIONS,
  examples: [
    {
      call: 'offerlet-operator publishers add new.csv --dry-run',
      does: 'Checks a CSV with the header brand_name,domain,primary_category_id,subcategory_ids',
    },
    {
      call: 'offerlet-operator publishers add new.csv --failures --csv > failed.csv',
      does: 'Adds them, and writes down what failed and why: correct failed.csv, and add it',
    },
    {
      call: 'jq -c ".[]" new.json | offerlet-operator publishers add - --csv > results.csv',
      does: 'JSON Lines from a pipe; results as CSV',
    },
  ],
  run: runAdd,
});

/** With --dry-run, items are valid at best. */
type Result = AddOutcome | { readonly status: 'valid'; readonly reason?: string };

async function runAdd(context: CommandContext<typeof OPTIONS>): Promise<void> {
  const { settings, words, terminal, connection, progress } = context;
  const [file = '-'] = words;
  if (file === '-' && process.stdin.isTTY) terminal.note('Reading from the terminal; end with Ctrl-D.');
  const listed = readList(decode(await readInput(file, 'FILE'), { file, given: settings.encoding }));
  const channel = connection.channel({ maxRetries: MAX_RETRIES });
  const taxonomy = await readTaxonomy(channel);
  const checked = checkPublishers(listed, taxonomy);
  const untried: Result = settings['dry-run'] ? { status: 'valid' } : NOT_SENT;
  const results = checked.map((one): Result =>
    'problem' in one ? { status: 'invalid', reason: safeText(one.problem) } : untried,
  );
  if (settings['dry-run']) await markExisting({ channel, checked, results });
  const sendable = checked.flatMap((one, place) => ('item' in one ? [{ place, item: one.item }] : []));
  let failure: ExitError | undefined;
  if (!settings['dry-run']) {
    let done = 0;
    progress.step(`Adding ${plural(sendable.length, 'publisher')} …`);
    const items = sendable.map(({ item }) => item);
    failure = await untilStopped(
      (signal) =>
        channel.addAll(items, {
          signal,
          onOutcome: (index, outcome) => {
            results[sendable[index]?.place ?? -1] = outcome;
            if (outcome.status === 'not sent') return;
            done++;
            progress.step(`Adding publishers: ${done} of ${sendable.length} …`);
          },
        }),
      connection.keySource,
    );
    // Nothing was done, so there is nothing to report but the reason.
    if (failure && done === 0) throw failure;
  }
  printResults(context, checked, results);
  const summary = summaryOf(results);
  terminal.note(settings['dry-run'] ? `Dry run, nothing was sent: ${summary}.` : `${summary}.`);
  if (failure)
    throw new ExitError(
      failure.message,
      failure.exitCode === EXIT.failed ? EXIT.someFailed : failure.exitCode,
      failure,
    );
  const failed = results.filter(({ status }) => status === 'invalid').length;
  if (failed > 0)
    throw new ExitError(
      `${failed} of ${plural(results.length, 'publisher')} ${failed === 1 ? 'is' : 'are'} invalid.`,
      EXIT.someFailed,
      { hint: `Correct ${failed === 1 ? 'it' : 'them'} and run the command again.` },
    );
}

/** Throws a `UsageError` when it is not certain how the file is written: names could be damaged. */
function decode(
  bytes: Uint8Array,
  { file, given }: { readonly file: string; readonly given: 'windows-1252' | undefined },
): string {
  const { text, isGuessed, example } = decodeList(bytes, given);
  if (isGuessed && given === undefined)
    throw new UsageError(
      `${file === '-' ? 'Stdin' : `"${safeText(file)}"`} is not UTF-8. As Windows-1252, which spreadsheets write, it has "${safeText(example ?? '')}".`,
      'If that is right, use --encoding windows-1252; otherwise save it as UTF-8.',
    );
  return text;
}

function readList(text: string): ListedPublisher[] {
  try {
    return readPublisherList(text);
  } catch (error) {
    throw error instanceof PublisherListError ? new UsageError(error.message) : error;
  }
}

/** The network compares name and domain, but lists names only: a publisher with the same name is a duplicate if its domain is the same. */
async function markExisting({
  channel,
  checked,
  results,
}: {
  readonly channel: ChannelClient;
  readonly checked: readonly CheckedPublisher[];
  readonly results: Result[];
}): Promise<void> {
  const known = new Map<string, Publisher>();
  for await (const publisher of channel.allPublishers()) known.set(keyOf(publisher.brand_name), publisher);
  for (const [index, one] of checked.entries()) {
    const found = known.get(keyOf(one.brand_name));
    if (results[index]?.status !== 'valid' || !found) continue;
    const since = found.created_at.slice(0, 10);
    const reason = `the name is there since ${since} (${found.status}): a duplicate if the domain is the same`;
    results[index] = { status: 'valid', reason: safeText(reason) };
  }
}

const NOT_SENT: AddOutcome = { status: 'not sent', reason: 'the command ended before' };
/** In the order in which they are counted; what is bad has failed. */
const TONES: Readonly<Record<Result['status'], Tone | undefined>> = {
  added: 'good',
  valid: 'good',
  duplicate: 'dim',
  invalid: 'bad',
  unknown: 'bad',
  'not sent': 'bad',
};

const COLUMNS = [
  'line',
  'status',
  'brand_name',
  'domain',
  'primary_category_id',
  'subcategory_ids',
  'pending_publisher_id',
  'reason',
];

/** A field of a list as a cell of CSV has it. */
function cellOf(field: unknown): string {
  return Array.isArray(field) ? field.join('; ') : typeof field === 'string' ? field : '';
}

function printResults(
  { settings, print }: CommandContext<typeof OPTIONS>,
  checked: readonly CheckedPublisher[],
  results: readonly Result[],
): void {
  const all = checked.map(({ line, brand_name, domain, fields }, index) => {
    const result = results[index] ?? NOT_SENT;
    return {
      line,
      status: result.status,
      brand_name,
      domain,
      // As they were given, so that the failures can be corrected and sent.
      primary_category_id: cellOf(fields['primary_category_id']),
      subcategory_ids: cellOf(fields['subcategory_ids']),
      pending_publisher_id: 'pending_publisher_id' in result ? result.pending_publisher_id : null,
      reason: 'reason' in result ? result.reason : null,
    };
  });
  const rows = settings.failures ? all.filter(({ status }) => TONES[status] === 'bad') : all;
  print({
    json: { results: rows, counts: countsOf(results), dry_run: settings['dry-run'] },
    csv: { rows, columns: COLUMNS },
    table: () => ({
      columns: [
        { header: 'LINE', isNumber: true },
        { header: 'STATUS', isFixed: true },
        { header: 'NAME' },
        { header: 'DOMAIN', rank: 1 },
        { header: 'REQUEST, OR REASON' },
      ],
      rows: rows.map(({ line, status, brand_name, domain, pending_publisher_id, reason }) => [
        String(line),
        { text: status, tone: TONES[status] },
        safeText(brand_name),
        safeText(domain),
        safeText(pending_publisher_id ?? reason ?? ''),
      ]),
    }),
  });
}

function countsOf(results: readonly Result[]): Record<string, number> {
  const counts = Object.keys(TONES).map(
    (status) => [status, results.filter((one) => one.status === status).length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function summaryOf(results: readonly Result[]): string {
  const parts = Object.entries(countsOf(results)).map(
    ([status, count]) => `${count} ${status}${status === 'duplicate' && count > 1 ? 's' : ''}`,
  );
  return `${plural(results.length, 'publisher')}: ${parts.join(', ')}`;
}
