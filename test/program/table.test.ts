import { expect, test } from 'vitest';
import { cutTo, displayWidth, safeText } from '../../src/program/terminal.ts';
import { columnsThatFit, renderTable, type Table } from '../../src/program/print.ts';

const PLAIN = { width: undefined, hasColor: false, hasUnicode: true };
const ID = '11111111-2222-3333-4444-555555555555';
const TABLE: Table = {
  columns: [
    { header: 'NAME' },
    { header: 'ID', isFixed: true },
    { header: 'clicks', isNumber: true, rank: 1 },
    { header: 'rpl', isNumber: true, rank: 2 },
  ],
  rows: [
    ['A publisher whose name is long', ID, '1,234', '0.0123'],
    ['日本語', ID, '5', '1.0000'],
  ],
  footer: ['Total', '', '1,239', '0.5000'],
};

test('columns are aligned, numbers at the right, wide letters counted as two', () => {
  expect(renderTable(TABLE, PLAIN)).toBe(
    [
      `NAME                            ID${' '.repeat(36)}clicks     rpl`,
      `A publisher whose name is long  ${ID}   1,234  0.0123`,
      `日本語                          ${ID}       5  1.0000`,
      `${'─'.repeat(30)}  ${'─'.repeat(36)}  ──────  ──────`,
      `Total${' '.repeat(63)}   1,239  0.5000`,
      '',
    ].join('\n'),
  );
});

test('in a pipe, a very long name moves only its own line on', () => {
  const longest = 'Very long '.repeat(25).trim();
  const rows = [
    ['Short', '1'],
    [longest, '2'],
  ];
  const columns = [{ header: 'NAME' }, { header: 'clicks', isNumber: true }];
  expect(renderTable({ columns, rows }, PLAIN)).toBe(
    `NAME${' '.repeat(38)}clicks\nShort${' '.repeat(42)}1\n${longest}${' '.repeat(7)}2\n`,
  );
});

test.each([40, 60, 70, 80, 100])('at %i columns no line is wider, and ids are whole', (width) => {
  const lines = renderTable(TABLE, { ...PLAIN, width })
    .trimEnd()
    .split('\n');
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
  expect(lines.join('\n')).toContain(ID);
});

test('the columns that matter least give way first', () => {
  expect(columnsThatFit(TABLE, 100)).toEqual([0, 1, 2, 3]);
  expect(columnsThatFit(TABLE, 70)).toEqual([0, 1, 2]);
  // Too narrow for columns: each row is a block with all of them.
  expect(columnsThatFit(TABLE, 48)).toEqual([0, 1, 2, 3]);
  expect(columnsThatFit(TABLE, undefined)).toEqual([0, 1, 2, 3]);
});

test('colour takes no room', () => {
  const colored = renderTable(
    { columns: [{ header: 'A' }, { header: 'B' }], rows: [[{ text: 'x', tone: 'good' }, 'y']] },
    { ...PLAIN, hasColor: true },
  );
  expect(colored).toBe('\u001B[2mA\u001B[22m  \u001B[2mB\u001B[22m\n\u001B[32mx\u001B[39m  y\n');
});

test.each([
  ['abc', 3],
  ['', 0],
  ['日本', 4],
  ['e\u0301', 1],
  ['👨‍👩‍👧‍👦', 2],
  ['🇩🇪', 2],
  ['ﬁ', 1],
])('the text %j takes %i columns', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test('a text is cut between graphemes, with a mark', () => {
  expect(cutTo('日本語', 4)).toBe('日…');
  expect(cutTo('abcdef', 4)).toBe('abc…');
  expect(cutTo('abcdef', 6)).toBe('abcdef');
  expect(cutTo('abc', 0)).toBe('');
  expect(cutTo('abcdef', 4, '.')).toBe('abc.');
});

test.each([
  ['a\u001B[31mb', 'a[31mb'],
  ['a\u009B2Jb', 'a2Jb'],
  ['a\r\nb\tc', 'a b c'],
  ['a\u202Eb\u2066\u200B', 'ab'],
  ['\uD800x', 'x'],
  ['x\u0007', 'x'],
])('%j is shown as %j', (text, shown) => {
  expect(safeText(text)).toBe(shown);
});
