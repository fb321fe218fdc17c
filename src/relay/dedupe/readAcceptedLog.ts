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

/** `count <number> <count>`: something that is no accepted event was counted. */
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
const SESSION = /^([0-9a-f]{32}) ([ -~]*)$/;

/** Reads the file's whole lines. What follows the last line break was cut off by a crash and is left out. */
export function readAcceptedLog(text: string, { entry, session }: LogReader): { counts: SegmentCounts; lines: number } {
  const counts: SegmentCounts = new Map();
  let cells = new Map<string, string>();
  let segment = new Map<string, number>();
  /** Events of the segment: after a failed write, some may be there twice. */
  let counted = new Set<string>();
  let lines = 0;
  const first = FIRST_LINE.exec(text)?.[0].length ?? 0;
  const end = text.lastIndexOf('\n') + 1;
  for (let start = first, stop; start < end; start = stop + 1) {
    stop = text.indexOf('\n', start);
    const line = text.slice(start, stop);
    lines += 1;
    const [, time = '', key = '', sender = '', number] = ENTRY.exec(line) ?? [];
    if (key !== '') {
      const from = Number.parseInt(sender, 36);
      if (from >= SENDERS) continue;
      entry?.({ key, acceptedAt: Number.parseInt(time, 36), sender: from });
      const cell = number === undefined ? undefined : cells.get(number);
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
        break;
    }
  }
  return { counts, lines };
}

/** Returns the counts of a file that are not in the files of the days yet, by segment. */
export function readLogCounts(text: string): SegmentCounts {
  return FIRST_LINE.test(text) ? readAcceptedLog(text, {}).counts : new Map();
}
