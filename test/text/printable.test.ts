import { expect, test, vi } from 'vitest';
import { createOutput, documentWithoutControls, openTerminal } from '../../src/program/terminal.ts';
import { printedText } from '../../src/program/print.ts';
import { printableJson, withoutCommands } from '../../src/text/printable.ts';

/** What GitHub's and Azure's runners take for a command in one line of a log. */
function hasCommand(text: string): boolean {
  return text
    .split(/\r\n|[\r\n\u0085\u2028\u2029]/)
    .some((line) => line.trimStart().startsWith('::') || /##\w*\[/.test(line));
}

const COMMANDS = [
  '::set-env name=NODE_OPTIONS::--require=/tmp/evil.js',
  '  \t::add-mask::x',
  '\u00a0\u0085\u2003::stop-commands::x',
  'fine\n::error::x',
  'fine\r::error::x',
  'fine\u2028::error::x',
  '##[add-path]/tmp',
  'text ##vso[task.setvariable variable=PATH]/tmp',
  '###[group]x',
  ':::notice::x',
];

test.each(COMMANDS)('%j is not a command of a CI system once it is printed', (text) => {
  expect(hasCommand(text)).toBe(true);
  expect(hasCommand(withoutCommands(text))).toBe(false);
  const json = printableJson({ text, list: [text] }, 2);
  expect(hasCommand(json)).toBe(false);
  expect(JSON.parse(json)).toEqual({ text, list: [text] });
});

test.each(['A::b', 'https://[::1]:80/', 'a ## b', '#[x]', 'C#, D##'])('%j is printed unchanged', (text) => {
  expect(withoutCommands(`text ${text}`)).toBe(`text ${text}`);
});

test('JSON escapes what controls a terminal or hides and reorders text', () => {
  const value = {
    a: 'C1 \u009b31m',
    b: 'bidi \u202e \u2066',
    c: 'tag \u{e0041}',
    d: 'zwj \u200d',
    e: 'ü日本 😀',
    f: '\u2028',
  };
  const json = printableJson(value);
  expect(json).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u);
  expect(json).toContain('ü日本 😀');
  expect(JSON.parse(json)).toEqual(value);
});

test('a long text is printed: time that grew with its square would end with the time of the test', () => {
  for (const part of [' ', '\n', ':', '#', '#a', '\n '] as const)
    expect(withoutCommands(part.repeat(1_000_000)).length).toBeGreaterThan(0);
});

test('lines for people control no terminal, and none hides what is before it', () => {
  const lines: string[] = [];
  const write = (text: unknown): true => (lines.push(String(text)), true);
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(write),
    vi.spyOn(process.stderr, 'write').mockImplementation(write),
  ];
  const out = createOutput({ json: false });
  out.say('a\u001B[2J\u009B31mb\u202Ec\rd\ne');
  out.log('a\u001B[2J\u009B31mb\u202Ec\rd\ne');
  for (const spy of spies) spy.mockRestore();
  expect(lines).toEqual(['a[2J31mbcd\ne\n', 'a[2J31mbcd\ne\n']);
  expect(documentWithoutControls('1\r\n2\rx\r')).toBe('1\r\n2x');
});

test('every way to print goes through it', () => {
  let printed = '';
  const stream = { isTTY: false, write: (text: string) => (printed += text) };
  const terminal = openTerminal({ env: {}, stdout: stream, stderr: stream });
  const write = (text: unknown): true => ((printed += String(text)), true);
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(write),
    vi.spyOn(process.stderr, 'write').mockImplementation(write),
  ];
  const name = '::error::##[x]';
  terminal.write(`${name}\n`);
  terminal.note(name);
  for (const json of [false, true]) {
    const out = createOutput({ json });
    out.say(name);
    out.json({ name });
    out.log(name);
    out.log({ name });
  }
  const printable = {
    json: { name },
    csv: { rows: [{ name }], columns: ['name'] },
    table: () => ({ columns: [{ header: 'x' }], rows: [[name]] }),
  };
  for (const format of [
    { json: true, csv: false },
    { json: false, csv: true },
    { json: false, csv: false },
  ])
    terminal.write(printedText(printable, { format, terminal }));
  for (const spy of spies) spy.mockRestore();
  expect(printed.split('\n').length).toBeGreaterThan(10);
  expect(hasCommand(printed)).toBe(false);
});
