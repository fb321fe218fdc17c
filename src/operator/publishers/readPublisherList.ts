import { didYouMean } from '../../text/didYouMean.ts';
import { withoutGuard } from '../../text/toCsv.ts';

/** A list that cannot be read; the message says what to correct. */
export class PublisherListError extends Error {
  override readonly name = 'PublisherListError';
}

/** One publisher of a list, as the list states it: nothing is checked yet. */
export interface ListedPublisher {
  /** The line on which it begins, or its place in a JSON array. */
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
  /** What is wrong with the line itself. */
  readonly malformed?: string | undefined;
}

/** Columns and fields, and what else they may be called. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  brand_name: ['brand_name', 'brand', 'name'],
  domain: ['domain', 'website', 'url'],
  primary_category_id: ['primary_category_id', 'primary_category', 'category_id', 'category'],
  subcategory_ids: ['subcategory_ids', 'subcategories', 'subcategory_id', 'subcategory'],
};
const KNOWN = Object.values(NAMES).flat();

/** Reads JSON (an array, or `{"items": […]}`), JSON Lines or CSV with a header. Throws a `PublisherListError` for anything else. */
export function readPublisherList(text: string): ListedPublisher[] {
  const begin = text.replace(/^\uFEFF/, '').trimStart();
  if (begin === '') throw new PublisherListError('The list is empty. Use JSON, JSON Lines or CSV.');
  const list = begin.startsWith('[')
    ? fromList(parse(begin, 'The list is not valid JSON'))
    : begin.startsWith('{')
      ? fromJsonLines(begin)
      : fromCsv(text);
  if (list.length === 0)
    throw new PublisherListError(
      /^[[{]/.test(begin) ? 'The list has no publishers.' : 'The list has a header, but no publishers below it.',
    );
  return list;
}

function fromList(list: unknown): ListedPublisher[] {
  if (!Array.isArray(list)) throw new PublisherListError('The JSON is not an array of publishers.');
  return list.map((item: unknown, index) => ({ line: index + 1, fields: fieldsOf(item, index + 1) }));
}

/** A document that begins with `{` is one object on several lines, or JSON Lines. */
function fromJsonLines(text: string): ListedPublisher[] {
  try {
    const whole: unknown = JSON.parse(text);
    const items = (whole as { items?: unknown }).items;
    return Array.isArray(items) ? fromList(items) : fromList([whole]);
  } catch {
    return text.split(/\r?\n/).flatMap((line, index) => {
      if (line.trim() === '') return [];
      const item = parse(line, `Line ${index + 1} is not valid JSON`);
      return [{ line: index + 1, fields: fieldsOf(item, index + 1) }];
    });
  }
}

function parse(text: string, problem: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PublisherListError(`${problem}: ${(error as Error).message.split('\n', 1)[0] ?? ''}`);
  }
}

function fieldsOf(item: unknown, line: number): Record<string, unknown> {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw new PublisherListError(
      `Item ${line} is not an object with brand_name, domain, primary_category_id and subcategory_ids.`,
    );
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [canonical(name) ?? name, value]));
}

function fromCsv(text: string): ListedPublisher[] {
  const [header, ...records] = recordsOf(text);
  const names = header?.cells.map(normalized) ?? [];
  const columns = names.map(canonical);
  for (const required of Object.keys(NAMES)) {
    if (columns.includes(required)) continue;
    const near = names.map((name) => didYouMean(name, KNOWN)).find((hint) => hint.includes(required)) ?? '';
    throw new PublisherListError(
      `The list has no column ${required}.${near} Its first line must name brand_name, domain, primary_category_id and subcategory_ids.`,
    );
  }
  const brand = columns.indexOf('brand_name');
  return records.map(({ line, cells }) => ({
    line,
    malformed: cells.slice(names.length).some((cell) => cell.trim() !== '')
      ? `the line has ${cells.length} cells, the header ${names.length}: a separator in a name must be in quotes`
      : dateProblem(cells[brand]?.trim() ?? ''),
    fields: Object.fromEntries(
      columns.flatMap((name, index) => (name === undefined ? [] : [[name, withoutGuard(cells[index] ?? '')]])),
    ),
  }));
}

const MONTH =
  '(?:jan(?:uary?|uar)?|feb(?:ruary?|ruar)?|mar(?:ch)?|märz?|mrz|apr(?:il)?|ma[yi]|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)';
/** What spreadsheets make of names such as `3.1`, `Sept 11` or `1E5`: dates in any order, with names of months, and powers of ten. */
const MADE_BY_SPREADSHEET = new RegExp(
  String.raw`^(\d{1,4}([-./])\d{1,2}\2\d{1,4}( \d\d:\d\d(:\d\d)?)?|\d{1,2}[-. ]+${MONTH}([-. ]+\d{2,4})?|${MONTH}[-. ]\d{2,4}|\d([.,]\d+)?E[+-]\d{2,3})$`,
  'i',
);
/** The numbers of the days from 1990 to 2049, which a spreadsheet shows when a date has lost its format. */
const DAY_NUMBERS = { first: 32_874, last: 54_788 };
const DAY_ZERO = Date.UTC(1899, 11, 30);

/** Why a name may be what a spreadsheet made of another one: it could not be corrected once it has been requested. */
function dateProblem(name: string): string | undefined {
  const isNumber = /^\d{5}$/.test(name) && Number(name) >= DAY_NUMBERS.first && Number(name) <= DAY_NUMBERS.last;
  if (!isNumber && !MADE_BY_SPREADSHEET.test(name)) return undefined;
  const day = isNumber ? `, ${new Date(DAY_ZERO + Number(name) * 86_400_000).toISOString().slice(0, 10)}` : '';
  return `brand_name looks like a date or number that a spreadsheet made of a name: "${name}"${day}. If it is the name, send it as JSON`;
}

function recordsOf(text: string): CsvRecord[] {
  try {
    return parseCsv(text);
  } catch (error) {
    throw new PublisherListError((error as Error).message);
  }
}

function canonical(name: string): string | undefined {
  return Object.entries(NAMES).find(([, others]) => others.includes(normalized(name)))?.[0];
}

/** A name as people write it: `Brand name`, `category-id`. */
function normalized(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

/** One record of a CSV file, and the line on which it begins. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads CSV (RFC 4180): quoted cells may contain separators and line breaks. The separator is the one that the first line
 * has most of: a comma, a semicolon as spreadsheets in much of Europe write, or a tab. Empty lines are skipped. Throws an
 * `Error` when a quote is never closed, because its cell would contain the rest of the file.
 */
export function parseCsv(text: string): CsvRecord[] {
  const source = text.replace(/^\uFEFF/, '');
  const separator = separatorOf(source);
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let cell = '';
  let isBlank = true;
  let isQuoted = false;
  let quoteLine = 1;
  let line = 1;
  let begin = 1;
  const endCell = (): void => {
    cells.push(cell);
    cell = '';
    isBlank = true;
  };
  const endRecord = (): void => {
    endCell();
    if (cells.some((one) => one.trim() !== '')) records.push({ line: begin, cells });
    cells = [];
    begin = line;
  };
  for (let index = 0; index < source.length; index++) {
    const letter = source[index] ?? '';
    if (letter === '\n') line++;
    if (isQuoted) {
      if (letter !== '"') cell += letter;
      else if (source[index + 1] === '"') cell += source[++index];
      else isQuoted = false;
    } else if (letter === '"' && isBlank) {
      cell = '';
      isBlank = false;
      isQuoted = true;
      quoteLine = line;
    } else if (letter === separator) endCell();
    else if (letter === '\n') endRecord();
    else if (letter !== '\r' || source[index + 1] !== '\n') {
      cell += letter;
      isBlank &&= letter.trim() === '';
    }
  }
  if (isQuoted) throw new Error(`The quote that begins in line ${quoteLine} is never closed.`);
  endRecord();
  return records;
}

function separatorOf(text: string): string {
  const [first = ''] = text.split('\n', 1);
  const count = (letter: string): number => first.split(letter).length;
  return [';', '\t'].reduce((best, letter) => (count(letter) > count(best) ? letter : best), ',');
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** The text of a file. */
export interface DecodedList {
  readonly text: string;
  readonly encoding: Encoding;
  /** Whether nothing in the file says that it is written so: a person has to look at the names. */
  readonly isGuessed: boolean;
  /** A word with a letter that another encoding would show differently, to look at. */
  readonly example?: string | undefined;
}

/**
 * Decodes a list. UTF-8 is read strictly: with a replacement character in place of a letter, a name would be damaged for
 * good. UTF-16 is recognized by its mark or its zeros; anything else is Windows-1252 if people agree, as spreadsheets write.
 */
export function decodeList(bytes: Uint8Array, encoding: Encoding = detect(bytes)): DecodedList {
  const text = new TextDecoder(encoding).decode(bytes);
  const isGuessed = encoding === 'windows-1252';
  return {
    text,
    encoding,
    isGuessed,
    example: isGuessed ? /[\w'’-]*[^\0-\x7f][\p{L}'’-]*/u.exec(text)?.[0] : undefined,
  };
}

function detect(bytes: Uint8Array): Encoding {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Half of the bytes of Latin text are zero in UTF-16.
  const start = bytes.subarray(0, 1_000);
  const zeros = (odd: 0 | 1): number => start.filter((byte, index) => byte === 0 && index % 2 === odd).length;
  if (zeros(1) > start.length / 4) return 'utf-16le';
  if (zeros(0) > start.length / 4) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}
