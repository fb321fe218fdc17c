import { addCount } from '../ledger/ledger.ts';
import { SENDERS, type DedupeEntry } from './createDedupeMemory.ts';

/** The file of accepted events in a relay's directory. */
export const ACCEPTED_LOG = 'accepted-events.log';

/** The first line: the version of the format, and the salt of the senders' numbers. */
export const FIRST_LINE = /^offerlet accepted events 1 salt ([0-9a-f]{8})\n/;
export const FIRST_LINE_START = 'offerlet accepted events 1 salt ';

/** What the lines of the file say, one by one. All numbers are in base 36. */
export interface LogReader {
  /** `<time> <key> <sender> [<cell>]`: an event was accepted. */
  entry?(entry: DedupeEntry): void;
  /** `session <time> <hash> <placement>`. */
  session?(hash: string, session: LogSession): void;
}

export interface LogSession {
  readonly placement: string;
  readonly openedAt: number;
}

/** The counts of each segment that is not in the files of the days yet. */
export type SegmentCounts = Map<string, Map<string, number>>;

/** Returns a line for an event. `cell` is the number of what it counts for, if it counts. */
export function entryLine({ key, acceptedAt, sender }: DedupeEntry, cell?: number): string {
  const line = `${acceptedAt.toString(36)} ${key} ${sender.toString(36)}`;
  return cell === undefined ? `${line}\n` : `${line} ${cell.toString(36)}\n`;
}

export function sessionLine(hash: string, { openedAt, placement }: LogSession): string {
  return `session ${openedAt.toString(36)} ${hash} ${placement}\n`;
}

/** `cell <number> <cell>`: within the segment, the number stands for the cell. */
export function cellLine(number: number, cell: string): string {
  return `cell ${number.toString(36)} ${cell}\n`;
}

/** `count <number> <count>`: something other than an accepted event was counted. */
export function countLine(number: number, count: number): string {
  return `count ${number.toString(36)} ${count.toString(36)}\n`;
}

/** `segment <id>`: what follows belongs to this segment, and the ones before do not change any more. */
export function segmentLine(id: string): string {
  return `segment ${id}\n`;
}

/** `folded <id>`: the counts of a segment are in the files of their days. */
export function foldedLine(id: string): string {
  return `folded ${id}\n`;
}

const ENTRY = /^([0-9a-z]{1,11}) ([0-9a-f]{32}) ([0-9a-z]{1,3})(?: ([0-9a-z]{1,6}))?$/;
const OTHER = /^(session|cell|count|segment|folded) ([0-9a-z]{1,12})(?: ([ -~]*))?$/;
/** `<time> -`: the relay started or stopped. */
const MARK = /^[0-9a-z]{1,11} -$/;
/** What ends half a line that a full disk or a crash left behind. The next line is whole. */
export const CUT_OFF = '~';
const SESSION = /^([0-9a-f]{32}) ([ -~]*)$/;

/** What a file contains. */
export interface ReadLog {
  readonly counts: SegmentCounts;
  readonly lines: number;
  /** Lines that no relay wrote, or whose count has no cell. */
  readonly damaged: number;
}

/** Reads the file's whole lines. What follows the last line break was cut off by a crash and is left out. */
export function readAcceptedLog(text: string, { entry, session }: LogReader): ReadLog {
  const counts: SegmentCounts = new Map();
  let cells = new Map<string, string>();
  let segment = new Map<string, number>();
  /** Events of the segment: after a failed write, some may be there twice. */
  let counted = new Set<string>();
  let [lines, damaged] = [0, 0];
  const first = FIRST_LINE.exec(text)?.[0].length ?? 0;
  const end = text.lastIndexOf('\n') + 1;
  for (let start = first, stop; start < end; start = stop + 1) {
    stop = text.indexOf('\n', start);
    const line = text.slice(start, stop);
    lines += 1;
    const [, time = '', key = '', sender = '', number] = ENTRY.exec(line) ?? [];
    if (key !== '') {
      const from = Number.parseInt(sender, 36);
      if (from >= SENDERS) {
        damaged += 1;
        continue;
      }
      entry?.({ key, acceptedAt: Number.parseInt(time, 36), sender: from });
      const cell = number === undefined ? undefined : cells.get(number);
      if (number !== undefined && cell === undefined) damaged += 1;
      if (cell === undefined || counted.has(key)) continue;
      counted.add(key);
      addCount(segment, cell);
      continue;
    }
    const [, kind, word = '', rest = ''] = OTHER.exec(line) ?? [];
    switch (kind) {
      case 'session': {
        const [, hash, placement = ''] = SESSION.exec(rest) ?? [];
        if (hash !== undefined) session?.(hash, { openedAt: Number.parseInt(word, 36), placement });
        break;
      }
      case 'cell':
        cells.set(word, rest);
        break;
      case 'count': {
        const cell = cells.get(word);
        // A line that was cut off has more after its number, or less.
        const count = /^[0-9a-z]{1,9}$/.test(rest) ? Number.parseInt(rest, 36) : 0;
        if (cell !== undefined && count > 0) addCount(segment, cell, count);
        else if (!line.endsWith(CUT_OFF)) damaged += 1;
        break;
      }
      case 'segment':
        [cells, segment, counted] = [new Map(), new Map(), new Set()];
        counts.set(word, segment);
        break;
      case 'folded':
        counts.delete(word);
        break;
      case undefined:
      default:
        if (!line.endsWith(CUT_OFF) && !MARK.test(line)) damaged += 1;
        break;
    }
  }
  return { counts, lines, damaged };
}

/** Returns the counts of a file that are not in the files of the days yet, by segment, and what could not be read. */
export function readLogCounts(text: string, file: string): { counts: SegmentCounts; problems: string[] } {
  if (!FIRST_LINE.test(text)) {
    const isNew = text.length < 64 && FIRST_LINE_START.startsWith(text.slice(0, FIRST_LINE_START.length));
    return {
      counts: new Map(),
      problems: isNew ? [] : [`${file} is not a relay's file, or damaged, and was skipped.`],
    };
  }
  const { counts, damaged } = readAcceptedLog(text, {});
  return { counts, problems: damaged > 0 ? [`${file}: lines that are damaged and were skipped: ${damaged}.`] : [] };
}
