import { isObject, own, parseJson, isCount } from '../../wire/json.ts';
import { addDays, dateOf, isDate } from '../../wire/utcDates.ts';
import { ACCEPTED_LOG, readLogCounts } from '../dedupe/readAcceptedLog.ts';
import { nodeModule } from '../../http/nodeModule.ts';
import { addCount, cellOf, readCell, rowsOf, type LedgerCounts, type LedgerRow } from './ledger.ts';

/** Days after which the counts of a day are deleted. */
const KEPT_DAYS = 400;

/** One line of a day's file: what one segment of the log counted on that day. */
interface DayLine {
  /** Written twice after a crash, a segment still counts once. */
  readonly segment: string;
  readonly counts: readonly Readonly<Record<string, unknown>>[];
}

/** The folder of the ledger in a relay's directory. */
export function ledgerFolder(directory: string): string {
  return nodeModule('node:path').join(directory, 'ledger');
}

/**
 * Appends the counts of a segment to the files of its days, one line each. After a failure it may be called again: each
 * reader counts a segment once a day.
 */
export async function appendSegment(
  directory: string,
  { segment, counts }: { segment: string; counts: ReadonlyMap<string, number> },
): Promise<void> {
  const fs = nodeModule('node:fs/promises');
  const { join } = nodeModule('node:path');
  const days = new Map<string, LedgerRow[]>();
  for (const row of rowsOf(counts)) {
    const day = row.hour.slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), row]);
  }
  const folder = ledgerFolder(directory);
  if (days.size > 0) await fs.mkdir(folder, { recursive: true });
  for (const [day, rows] of days) {
    const line: DayLine = { segment, counts: [...byPlacement(rows)] };
    const file = await fs.open(join(folder, `${day}.jsonl`), 'a+');
    try {
      const { size } = await file.stat();
      const { buffer } = size > 0 ? await file.read(new Uint8Array(1), 0, 1, size - 1) : { buffer: [LINE_BREAK] };
      // A crash, or a full disk, may have left half a line behind.
      await file.appendFile(`${buffer[0] === LINE_BREAK ? '' : '\n'}${JSON.stringify(line)}\n`);
    } finally {
      await file.close();
    }
  }
}

const LINE_BREAK = 10;

/** The counts of one hour and one placement together: that is shorter, and easier to read. */
function byPlacement(rows: readonly LedgerRow[]): Iterable<Readonly<Record<string, unknown>>> {
  const groups = new Map<string, Record<string, unknown>>();
  for (const { name, count, hour, view, display_mode, widget_id } of rows) {
    const key = cellOf({ hour, name: 'any', view, display_mode, widget_id });
    const group = groups.get(key) ?? {
      hour: Number(hour.slice(11, 13)),
      ...(view !== null && { view }),
      ...(display_mode !== null && { display_mode }),
      ...(widget_id !== null && { widget_id }),
    };
    group[name] = count;
    groups.set(key, group);
  }
  return groups.values();
}

/** Deletes the files of days that are past the retention period. */
export async function deleteOldDays(directory: string, now: number): Promise<void> {
  const fs = nodeModule('node:fs/promises');
  const first = addDays(dateOf(now), -KEPT_DAYS);
  for (const day of await listDays(directory))
    // What cannot be deleted, such as a directory, must not keep the log from being compacted.
    if (day < first)
      await fs.unlink(nodeModule('node:path').join(ledgerFolder(directory), `${day}.jsonl`)).catch(() => {});
}

async function listDays(directory: string): Promise<readonly string[]> {
  const names = await nodeModule('node:fs/promises')
    .readdir(ledgerFolder(directory))
    .catch((error: NodeJS.ErrnoException) => {
      // A folder that cannot be read is not an empty one: the audit would blame the network.
      if (error.code !== 'ENOENT') throw error;
      return [];
    });
  return names.flatMap((name) => {
    const day = name.replace(/\.jsonl$/, '');
    return name.endsWith('.jsonl') && isDate(day) ? [day] : [];
  });
}

/** Reads the files of days, and adds up their counts. A segment counts once a day. */
async function readDays(
  directory: string,
  { from, to }: { from: string; to: string },
): Promise<{
  /** `<day> <segment>` for each that was read. */
  readonly segments: ReadonlySet<string>;
  readonly counts: Map<string, number>;
  readonly problems: string[];
}> {
  const fs = nodeModule('node:fs/promises');
  const segments = new Set<string>();
  const counts = new Map<string, number>();
  const problems: string[] = [];
  for (const day of (await listDays(directory)).toSorted()) {
    if (day < from || day > to) continue;
    const file = nodeModule('node:path').join(ledgerFolder(directory), `${day}.jsonl`);
    // A directory cannot be read, and a pipe never ends.
    if (!(await fs.stat(file)).isFile()) {
      problems.push(`${file} is not a file and was skipped.`);
      continue;
    }
    const text = await fs.readFile(file, 'utf8');
    const found: string[] = [];
    const lines = text.split('\n');
    for (const [at, line] of lines.entries()) {
      if (line === '') continue;
      const place = at === lines.length - 1 ? 'the last line' : `line ${at + 1}`;
      const read = readLine(line, day);
      // What the log still has is written again by the relay, so a line that was cut off costs nothing.
      if (!read) {
        found.push(`${file}: ${place} is incomplete or damaged and was skipped.`);
      } else if (!segments.has(`${day} ${read.segment}`)) {
        segments.add(`${day} ${read.segment}`);
        for (const [cell, count] of read.counts) addCount(counts, cell, count);
        for (const name of read.foreign) found.push(`${file}: ${name} in ${place} is not a count and was skipped.`);
      }
    }
    for (const problem of found.slice(0, PROBLEMS_MAX)) problems.push(problem);
    if (found.length > PROBLEMS_MAX) problems.push(`${file}: ${found.length - PROBLEMS_MAX} more such problems.`);
  }
  return { segments, counts, problems };
}

/** Problems of one file that are reported one by one. */
const PROBLEMS_MAX = 10;
const PLACE = ['view', 'display_mode', 'widget_id'];

/** Returns the counts of a line by cell, and what is in their place; `undefined` for a line that is not whole. */
function readLine(
  text: string,
  day: string,
): { segment: string; counts: [string, number][]; foreign: string[] } | undefined {
  const json = parseJson(text);
  const [segment, groups] = [own(json, 'segment'), own(json, 'counts')];
  if (typeof segment !== 'string' || !Array.isArray(groups)) return undefined;
  const counts: [string, number][] = [];
  const foreign: string[] = [];
  for (const group of groups as readonly unknown[]) {
    const [view, mode, widget] = PLACE.map((name) => textAt(group, name));
    const number = own(group, 'hour');
    if (!isObject(group) || !isCount(number) || number > 23) return undefined;
    const hour = `${day}T${String(number).padStart(2, '0')}`;
    for (const [name, count] of Object.entries(group)) {
      if (name === 'hour' || PLACE.includes(name)) continue;
      const cell = cellOf({ hour, name, view: view ?? null, display_mode: mode ?? null, widget_id: widget ?? null });
      // No relay writes anything else, but somebody may have edited the file.
      if (isCount(count) && readCell(cell)) counts.push([cell, count]);
      else foreign.push(`${JSON.stringify(name).slice(0, 40)}: ${JSON.stringify(count).slice(0, 40)}`);
    }
  }
  return { segment, counts, foreign };
}

function textAt(json: unknown, name: string): string | undefined {
  const value = own(json, name);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Reads what the relay with this `--data` directory counted, from one UTC date to another, both included. The relay may be
 * running.
 */
export async function readLedger(
  directory: string,
  dates: { readonly from: string; readonly to: string },
): Promise<LedgerCounts> {
  const fs = nodeModule('node:fs/promises');
  const log = nodeModule('node:path').join(directory, ACCEPTED_LOG);
  // In this order: what the relay moves from the log to the days meanwhile is in both, and counts once.
  const text = await fs.readFile(log, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    // What fails after opening, as of a directory, does not name the file.
    throw Object.assign(error, { path: log });
  });
  const days = await readDays(directory, dates);
  const { counts: segments, problems } = readLogCounts(text, log);
  for (const [segment, counts] of segments) {
    for (const [cell, count] of counts) {
      const day = cell.slice(0, 10);
      if (day >= dates.from && day <= dates.to && !days.segments.has(`${day} ${segment}`))
        addCount(days.counts, cell, count);
    }
  }
  return { rows: rowsOf(days.counts), problems: [...days.problems, ...problems] };
}
