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
