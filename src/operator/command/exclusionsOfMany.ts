import { existsSync } from 'node:fs';
import { EXIT, ExitError, UsageError } from '../../program/ExitError.ts';
import { safeText, type Tone } from '../../program/terminal.ts';
import {
  differenceIn,
  excludeForMany,
  readExcludedPublishers,
  type ExcludedPublisher,
  type ExclusionOutcome,
} from '../operations/excludeForMany.ts';
import { own, parseJson } from '../../wire/json.ts';
import { isSameName } from '../publishers/hasAllWords.ts';
import { decodeList, parseCsv } from '../publishers/readPublisherList.ts';
import type { Taxonomy } from '../publishers/taxonomy.ts';
import { plural } from '../reports/format.ts';
import { askToGoOn, readInput } from './input.ts';
import type { CommandContext } from './operatorCommand.ts';
import { untilStopped } from './untilStopped.ts';

/** What a command that changes many lists is told. */
type Context = CommandContext<{
  readonly 'dry-run': { readonly kind: 'flag'; readonly about: string };
  readonly yes: { readonly kind: 'flag'; readonly about: string };
  readonly output: { readonly kind: 'text'; readonly value: string; readonly about: string };
}>;

/** One publisher, and the subcategories to add to its list or to take from it. */
export interface Wanted {
  readonly publisher: ExcludedPublisher;
  readonly subcategory_ids: readonly string[];
}

/** One subcategory of one list: of a publisher, or the channel's own. `added` and `unknown` are what `exclusions remove --undo` takes away. */
export interface Row {
  readonly change: 'to add' | 'to remove' | 'added' | 'removed' | 'kept' | 'gone' | 'failed' | 'not sent' | 'unknown';
  readonly publisher_id: string | null;
  readonly publisher_name: string | null;
  readonly subcategory_id: string;
  readonly subcategory: string;
  readonly reason: string | null;
}
const COLUMNS: readonly (keyof Row)[] = [
  'change',
  'publisher_id',
  'publisher_name',
  'subcategory_id',
  'subcategory',
  'reason',
];
const TONES: Readonly<Partial<Record<Row['change'], Tone>>> = {
  'to add': 'good',
  added: 'good',
  'to remove': 'bad',
  removed: 'bad',
  failed: 'bad',
  'not sent': 'bad',
};

/** Shows what changes for each publisher, asks for confirmation, and changes the lists. */
export async function excludeOfMany(
  context: Context,
  { kind, wanted, taxonomy }: { kind: 'add' | 'remove'; wanted: readonly Wanted[]; taxonomy: Taxonomy },
): Promise<void> {
  const { settings, terminal, connection, progress, print } = context;
  const { 'dry-run': isDry, output } = settings;
  const planned = wanted.map((one) => ({ ...one, ids: differenceIn(one.publisher.subcategory_ids, { kind, ...one }) }));
  const changing = planned.filter(({ ids }) => ids.length > 0);
  const rowsOf = (outcomeOf: (one: (typeof planned)[number]) => ExclusionOutcome | Row['change']): Row[] =>
    planned.flatMap((one) => {
      const outcome = outcomeOf(one);
      return one.subcategory_ids.map((subcategory_id) => {
        const isKept = !one.ids.includes(subcategory_id);
        return {
          change: isKept ? 'kept' : typeof outcome === 'string' ? outcome : changeOf(outcome, subcategory_id, kind),
          publisher_id: one.publisher.id,
          publisher_name: one.publisher.name,
          subcategory_id,
          subcategory: taxonomy.nameOf(subcategory_id),
          reason: !isKept && typeof outcome === 'object' && 'reason' in outcome ? safeText(outcome.reason) : null,
        };
      });
    });
  // Before anything is printed: without the file, nothing could be undone exactly.
  if (output !== undefined) await refuseToForget(output);
  const place = placeText(connection, (await connection.channel().details()).name);
  const isUndoable =
    kind === 'add' && output !== undefined && (settings.csv || settings.json || /\.(csv|json)$/i.test(output));
  const size = `${changing.length.toLocaleString('en')} of ${plural(planned.length, 'publisher')}`;
  if (isDry || changing.length === 0) {
    const rows = rowsOf(() => (kind === 'add' ? 'to add' : 'to remove'));
    print(printable(rows, isDry));
    return terminal.note(`${isDry ? 'Dry run, nothing was changed' : 'Nothing to change'}: ${size} in ${place}.`);
  }
  progress.end();
  if (!settings.yes) await askToGoOn(terminal, `This changes what is excluded for ${size} in ${place}.`);
  const unknown = rowsOf(() => 'unknown');
  if (isUndoable) print(printable(unknown, false));
  const outcomes = new Map<string, ExclusionOutcome>();
  const channel = connection.channel({ maxRetries: MAX_RETRIES });
  const failure = await untilStopped(
    (signal) =>
      excludeForMany(channel, {
        kind,
        signal,
        changes: changing.map(({ publisher, ids }) => ({ publisher_id: publisher.id, subcategory_ids: ids })),
        onOutcome: (index, outcome) => {
          outcomes.set(changing[index]?.publisher.id ?? '', outcome);
          progress.step(`Changed ${outcomes.size.toLocaleString('en')} of ${plural(changing.length, 'publisher')} …`);
        },
      }),
    connection.keySource,
  );
  const rows = rowsOf(({ publisher }) => outcomes.get(publisher.id) ?? 'kept');
  print(printable(rows, false));
  const done = [...outcomes.values()].filter(({ status }) => status === 'changed').length;
  terminal.note(
    `Changed the lists of ${done.toLocaleString('en')} of ${plural(planned.length, 'publisher')} in ${place}.`,
  );
  if (isUndoable) terminal.note(`"offerlet-operator exclusions remove --undo ${output}" undoes it.`);
  if (failure) throw failure;
  const failed = changing.length - done - [...outcomes.values()].filter(({ status }) => status === 'unchanged').length;
  if (failed > 0)
    throw new ExitError(`${plural(failed, 'publisher')} could not be changed.`, EXIT.someFailed, {
      hint: 'The output says why.',
    });
}

/** A 429 must not end a long change. */
const MAX_RETRIES = 15;

function changeOf(outcome: ExclusionOutcome, id: string, kind: 'add' | 'remove'): Row['change'] {
  if (outcome.status === 'unchanged') return 'kept';
  if (outcome.status !== 'changed') return outcome.status;
  if (!outcome.subcategory_ids.includes(id)) return 'kept';
  return kind === 'add' ? 'added' : 'removed';
}

/** Where a change is made, for people: production is not to be overlooked. */
export function placeText({ environment, url }: Context['connection'], channel: string): string {
  return `${safeText(channel)} (${environment === 'production' ? 'PRODUCTION' : (environment ?? new URL(url).host)})`;
}

/** Returns what changes, for `print`; of one list, whose ids JSON has as well, also what stays. */
export function printable(rows: readonly Row[], dry_run: boolean, list?: object): Parameters<Context['print']>[0] {
  const shown = list ? rows : rows.filter(({ change }) => change !== 'kept');
  return {
    json: { ...list, data: rows, dry_run },
    csv: { rows, columns: COLUMNS },
    table: () => ({
      columns: [
        { header: 'CHANGE', isFixed: true },
        { header: 'PUBLISHER' },
        { header: 'SUBCATEGORY' },
        { header: 'REASON', rank: 1 },
      ],
      rows: shown.map(({ change, publisher_name, subcategory, reason }) => [
        { text: change, tone: TONES[change] },
        publisher_name === null ? 'all' : safeText(publisher_name),
        subcategory,
        reason ?? '',
      ]),
    }),
  };
}

/** Returns the approved publishers of the channel, or those that a file names by id or name. Throws a `UsageError` for others. */
export async function readChosen(
  { connection, progress }: Pick<CommandContext<{}>, 'connection' | 'progress'>,
  file: string | undefined,
): Promise<readonly ExcludedPublisher[]> {
  const cells = file === undefined ? undefined : await readColumn(file);
  const all = await readExcludedPublishers(connection.channel(), {
    onProgress: (read) => progress.step(`Read ${plural(read, 'publisher')} …`),
  });
  if (cells === undefined) return all;
  const byId = new Map(all.map((one) => [one.id, one]));
  const chosen = cells.map(({ line, text }) => {
    const id = byId.get(text.toLowerCase());
    const named = id ? [id] : all.filter(({ name }) => isSameName(name, text));
    const [one] = named;
    if (one && named.length === 1) return one;
    const shown = `--publisher-file, line ${line}: "${safeText(text).slice(0, 80)}"`;
    throw new UsageError(
      one ? `${shown} is the name of ${named.length} publishers.` : `${shown} is not an approved publisher.`,
      one ? 'Use the id.' : 'Use the id or the whole name, as "offerlet-operator publishers list" prints them.',
    );
  });
  return [...new Set(chosen)];
}

/** The ids or names in a file: its column `publisher_id` or `id`, otherwise the first one. Comments are ignored. */
async function readColumn(file: string): Promise<readonly { readonly line: number; readonly text: string }[]> {
  const records = parseCsv(decodeList(await readInput(file, '--publisher-file')).text);
  const header = records[0]?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const place = header.findIndex((name) => name === 'publisher_id' || name === 'id');
  const cells = records
    .slice(place < 0 ? 0 : 1)
    .map(({ line, cells: row }) => ({ line, text: (row[Math.max(0, place)] ?? '').trim() }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
  if (cells.length === 0) throw new UsageError(`--publisher-file has no publishers: "${file}".`);
  return cells;
}

/** Reads what `exclusions add --output FILE` added, and where; the channel's own list has no publisher. */
export async function readAdded(
  file: string,
): Promise<
  readonly { readonly publisher: ExcludedPublisher | undefined; readonly subcategory_ids: readonly string[] }[]
> {
  const byPublisher = new Map<string, { name: string; ids: string[] }>();
  for (const row of rowsIn(decodeList(await readInput(file, '--undo')).text)) {
    const { change } = row;
    const [id, name] = [row.publisher_id ?? '', row.publisher_name ?? ''];
    if (change !== 'added' && change !== 'unknown') continue;
    byPublisher.set(id, { name, ids: [...(byPublisher.get(id)?.ids ?? []), row.subcategory_id ?? ''] });
  }
  if (byPublisher.size === 0)
    throw new UsageError(`--undo has nothing that was added: "${file}".`, 'Use a file of "exclusions add --output".');
  return [...byPublisher].map(([id, { name, ids }]) => ({
    // All of it is thought to be there; each list is read again before it is changed.
    publisher: id === '' ? undefined : { id, name, subcategory_ids: ids },
    subcategory_ids: ids,
  }));
}

/** Throws a `UsageError` when a file says what was added before: overwritten, it could not be undone any more. */
export async function refuseToForget(output: string): Promise<void> {
  const isRecord = existsSync(output) && (await readAdded(output).then(Boolean, () => false));
  if (isRecord)
    throw new UsageError(
      `--output says what an earlier command added: "${output}".`,
      'Use another file, or undo that first.',
    );
}

function rowsIn(text: string): readonly Partial<Record<keyof Row, string | null>>[] {
  if (text.trimStart().startsWith('{')) {
    const data = own(parseJson(text), 'data');
    return Array.isArray(data) ? (data as Record<string, string>[]) : [];
  }
  const [header, ...records] = parseCsv(text);
  return records.map(({ cells }) => Object.fromEntries(cells.map((cell, index) => [header?.cells[index] ?? '', cell])));
}
