import { expect, test } from 'vitest';
import { toCsv } from '../../src/text/toCsv.ts';

test('cells with commas, quotes and line breaks are quoted, as RFC 4180 says', () => {
  expect(toCsv([{ a: 'x,y', b: 'say "hi"', c: 'two\r\nlines', d: ' padded ' }])).toBe(
    'a,b,c,d\r\n"x,y","say ""hi""","two\r\nlines"," padded "\r\n',
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('the text %j cannot run as a formula', (text) => {
  const [, line = ''] = toCsv([{ a: text }]).split('a\r\n');
  expect(line.replace(/^"/, '')).toMatch(/^'/);
});

test.each(['＝1+1', '＋1', '－1', '＠SUM(A1)', '\n=1+1', ' =1+1', '\u200B=1+1', '\uFEFF@x', '﹣1'])(
  'the text %j cannot run as a formula after what a spreadsheet skips or takes for a sign',
  (text) => {
    const [, line = ''] = toCsv([{ a: text }]).split('a\r\n');
    expect(line.replace(/^"/, '')).toMatch(/^'/);
  },
);

test.each(['x;=1+1', 'x; ＝1+1', 'x\n=1+1', 'x\t-1', 'x;"=1+1'])(
  'the text %j cannot run as a formula where semicolons or tabs separate',
  (text) => {
    // Without regard to quotes: they count at the beginning of a cell only, and the cell begins elsewhere there.
    const cells = toCsv([{ a: text }])
      .replace('a\r\n', '')
      .split(/[;\t\r\n]/);
    for (const cell of cells) expect(cell.replace(/^"+/, '')).not.toMatch(/^\s*[=＝-]/);
  },
);

test('names with semicolons stay what they are', () => {
  expect(toCsv([{ a: 'Fish; Chips' }])).toBe('a\r\n"Fish; Chips"\r\n');
});

test('a formula after a quote is quoted as well, even in the header', () => {
  expect(toCsv([{ a: '=HYPERLINK("https://x.example","click")' }])).toBe(
    'a\r\n"\'=HYPERLINK(""https://x.example"",""click"")"\r\n',
  );
  expect(toCsv([{ '=a': 1 }])).toBe("'=a\r\n1\r\n");
});

test('numbers stay numbers, negative ones too; null and missing cells are empty', () => {
  expect(
    toCsv([
      { a: -1.5, b: null },
      { a: 0, c: true },
    ]),
  ).toBe('a,b,c\r\n-1.5,,\r\n0,,true\r\n');
});

test('lists and objects are JSON', () => {
  expect(toCsv([{ a: ['x', 'y'] }])).toBe('a\r\n"[""x"",""y""]"\r\n');
});

test('columns can be chosen; without rows they are the header', () => {
  // @ts-expect-error -- the rows have no such column
  expect(toCsv([{ a: 1, b: 2 }], { columns: ['b', 'c'] })).toBe('b,c\r\n2,\r\n');
  expect(toCsv([], { columns: ['a'] })).toBe('a\r\n');
  expect(toCsv([])).toBe('');
});
