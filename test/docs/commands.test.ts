import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { networkCommand } from '../../src/sandbox/networkCommand.ts';
import { relayCommand } from '../../src/cli/relayCommand.ts';
import { sandboxCommand } from '../../src/sandbox/sandboxCommand.ts';
import type { Command } from '../../src/cli/command.ts';
import { blocksIn, codeIn, pageAt, proseOf, PAGES, sectionOf, tableIn } from './pages.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  'offerlet relay': relayCommand,
  'offerlet-sandbox': sandboxCommand,
  'offerlet-sandbox network': networkCommand,
};

test('every flag of a command is in its table, and no other', () => {
  const flagsIn = (path: string, section: string): string[] =>
    tableIn(sectionOf(pageAt(path), section), 'flag').flatMap(([cell = '']) => codeIn(cell));
  expect(flagsIn('docs/relay.md', 'Command').toSorted()).toEqual(flagsOf(relayCommand));
  expect(flagsIn('docs/sandbox.md', 'Start').toSorted()).toEqual(flagsOf(sandboxCommand));
  expect(flagsIn('docs/network.md', 'Start').toSorted()).toEqual(flagsOf(networkCommand));
});

test('every command in a shell block exists, with the flags that it is given', () => {
  const calls = blocksIn('sh').flatMap(({ page, line, code }) =>
    [...code.replaceAll('\\\n', ' ').matchAll(/npx (offerlet(?:-sandbox)?)((?: +[^\n|&>;#]+)*)/g)].map(
      ([, name = '', rest = '']) => ({ at: `${page}:${line}`, name, rest: rest.trim() }),
    ),
  );
  expect(calls.length).toBeGreaterThan(5);
  for (const { at, name, rest } of calls) {
    const [word = ''] = rest.split(/\s+/);
    const command = COMMANDS[word === '' || word.startsWith('-') ? name : `${name} ${word}`];
    expect(command, `${at}: ${name} ${rest}`).toBeDefined();
    const known = command ? ['--help', ...flagsOf(command)] : [];
    for (const flag of rest.match(/--[a-z-]+/g) ?? []) expect(known, at).toContain(flag);
  }
});

test('every npm script that a page mentions exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const mentioned = PAGES.flatMap((page) => [
    ...codeIn(proseOf(page)),
    ...blocksIn('sh').map(({ code }) => code),
  ]).flatMap((code) => [...code.matchAll(/npm (?:run )?((?:start|test)\b(?::\w+)?|(?<=run )[\w:]+)/g)]);
  expect(mentioned.length).toBeGreaterThan(5);
  for (const [text, name = ''] of mentioned) expect(Object.keys(scripts), text).toContain(name);
});

/** The flags that a command takes. */
function flagsOf({ options }: Command): string[] {
  return Object.keys(options)
    .map((name) => `--${name}`)
    .toSorted();
}
