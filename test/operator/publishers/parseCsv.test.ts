import { array, assert, constantFrom, property } from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeList,
  parseCsv,
  PublisherListError,
  readPublisherList,
} from '../../../src/operator/publishers/readPublisherList.ts';
import { toCsv } from '../../../src/operator.ts';

const cellsOf = (text: string): (readonly string[])[] => parseCsv(text).map(({ cells }) => cells);

test.each<[text: string, rows: string[]]>([
  ['a,b\n1,2\n', ['a|b', '1|2']],
  ['a,b\r\n1,2', ['a|b', '1|2']],
  ['\uFEFFa;b\r\n1,5;2\r\n', ['a|b', '1,5|2']],
  ['a\tb\n1\t2', ['a|b', '1|2']],
  ['"a ""x""","b\nc"\n', ['a "x"|b\nc']],
  ['a,b\n\n , \n1,2\n', ['a|b', '1|2']],
  ['a,"b"', ['a|b']],
  [' "a", b "c"\n" ""x"" "', ['a| b "c"', ' "x" ']],
  ['', []],
])('%j is read as %j', (text, rows) => {
  expect(cellsOf(text).map((cells) => cells.join('|'))).toEqual(rows);
});

test('records know their line, even after a line break in a cell', () => {
  expect(parseCsv('a\n"b\nc"\nd\n').map(({ line }) => line)).toEqual([1, 2, 4]);
});

test('a quote that is never closed is refused, with its line', () => {
  const text = 'brand_name,domain\n"a\nb",c.example\n"d,e.example\nf,g.example\n';
  expect(() => parseCsv(text)).toThrow('The quote that begins in line 4 is never closed.');
  expect(() => readPublisherList(text)).toThrow(PublisherListError);
});

test('many quotes in a cell are read: time that grew with their square would end with the time of the test', () => {
  const text = `a\nx${'"'.repeat(1_000_000)}`;
  expect(cellsOf(text)[1]?.[0]?.length).toBe(1_000_001);
});

test('what toCsv writes is read back, whatever a spreadsheet would have made of it', () => {
  const piece = constantFrom('=', "'", '"', ';', ',', '\t', '\n', '\r\n', ' ', '-', '@', 'ä', '\u200b', 'x');
  const text = array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''));
  assert(
    property(text, text, (brand_name, domain) => {
      const list = toCsv([{ brand_name: `${brand_name}x`, domain: `${domain}x`, category: 'c', subcategory: 's' }]);
      const [{ fields } = {}] = readPublisherList(list);
      expect([fields?.['brand_name'], fields?.['domain']]).toEqual([`${brand_name}x`, `${domain}x`]);
    }),
    { numRuns: 2_000 },
  );
});

test.each<readonly [string, RegExp | null]>([
  ['44197', /looks like a date.*"44197", 2021-01-01/],
  ['01.03.2024', /looks like a date/],
  ['3-Jan', /looks like a date/],
  ['Sep-11', /looks like a date/],
  ['1.00E+05', /looks like a date or number/],
  ...['4711', '7-11', '1-800-Flowers', 'Martin 12', 'Studio 54', '90210', 'March'].map((name) => [name, null] as const),
])('%s in CSV is refused if a spreadsheet made it of a name, and is a name in JSON', (name, problem) => {
  const [one] = readPublisherList(`brand_name,domain,category,subcategory\n${name},a.example,c,s\n`);
  if (problem) expect(one?.malformed).toMatch(problem);
  else expect(one?.malformed).toBeUndefined();
  expect(readPublisherList(JSON.stringify([{ brand_name: name }]))[0]?.malformed).toBeUndefined();
});

test('JSON, JSON Lines and CSV give the same items', () => {
  const item = { brand_name: 'A', domain: 'a.example', primary_category_id: 'c', subcategory_ids: 's' };
  const csv = 'Name,Website,Category,Subcategories\nA,a.example,c,s\n';
  const forms = [
    JSON.stringify([item]),
    JSON.stringify({ items: [item] }, undefined, 2),
    JSON.stringify(item),
    `\n${JSON.stringify(item)}\n`,
    csv,
    '[{"Brand name":"A","WEBSITE":"a.example","primary-category-id":"c","Subcategory IDs":"s"}]',
  ];
  for (const text of forms) expect(readPublisherList(text)[0]?.fields).toEqual(item);
});

test.each([
  ['', 'The list is empty'],
  ['[{]', 'The list is not valid JSON'],
  ['{"a":1}\n{"b"', 'Line 2 is not valid JSON'],
  ['[1]', 'Item 1 is not an object'],
  ['brand_name,domian\n', 'no column domain. Did you mean domain?'],
])('%j is refused: %s', (text, message) => {
  expect(() => readPublisherList(text)).toThrow(message);
});

test.each([
  ['utf-8', Buffer.from('Müller')],
  ['utf-8', Buffer.from('\uFEFFMüller')],
  ['utf-16le', Buffer.from('\uFEFFMüller', 'utf16le')],
  ['utf-16le', Buffer.from('brand_name,Müller', 'utf16le')],
  ['utf-16be', Buffer.from('\uFEFFMüller', 'utf16le').swap16()],
  ['windows-1252', Buffer.from('M\xFCller', 'latin1')],
])('%s is recognized, and no letter is damaged', (encoding, bytes) => {
  const list = decodeList(bytes);
  expect([list.encoding, list.text]).toEqual([encoding, expect.stringMatching(/Müller$/)]);
});

test('only Windows-1252 is a guess, which a person has to look at', () => {
  expect(decodeList(Buffer.from('a,b\nCaf\xE9 M\xFCller', 'latin1'))).toMatchObject({
    isGuessed: true,
    example: 'Café',
  });
  expect(decodeList(Buffer.from('Müller')).isGuessed).toBe(false);
});

test('a line that is wider than the header is refused: its cells are in the wrong columns', () => {
  const list = readPublisherList(
    'brand_name,domain,primary_category,subcategories\nCandles, wax,one.example,Pets,Food\n',
  );
  expect(list[0]?.malformed).toContain('the line has 5 cells, the header 4');
});
