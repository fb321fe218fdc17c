import { expect, test } from 'vitest';
import { toCsv } from '../../../src/clients.ts';

test('cells with commas, quotes and line breaks are quoted, as RFC 4180 says', () => {
  expect(toCsv([{ a: 'x,y', b: 'say "hi"', c: 'two\r\nlines', d: ' padded ' }])).toBe(
    'a,b,c,d\r\n"x,y","say ""hi""","two\r\nlines"," padded "\r\n',
  );
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('the text %j cannot run as a formula', (text) => {
  const [, line = ''] = toCsv([{ a: text }]).split('a\r\n');
  expect(line.replace(/^"/, '')).toMatch(/^'/);
});

test('a formula after a quote is quoted as well, also in the header', () => {
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
  expect(toCsv([{ a: 1, b: 2 }], { columns: ['b', 'c'] })).toBe('b,c\r\n2,\r\n');
  expect(toCsv([], { columns: ['a'] })).toBe('a\r\n');
  expect(toCsv([])).toBe('');
});
