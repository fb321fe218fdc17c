import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { networkCommand } from '../../src/sandbox/networkCommand.ts';
import { relayCommand } from '../../src/cli/relayCommand.ts';
import { sandboxCommand } from '../../src/sandbox/sandboxCommand.ts';
import type { SettingsSource } from '../../src/cli/settings.ts';
import { blocksIn, codeIn, pageAt, proseOf, PAGES, sectionOf, tableIn } from './pages.ts';

type Command = (source: SettingsSource) => Promise<void>;

const COMMANDS: Readonly<Record<string, Command>> = {
  'offerlet relay': relayCommand,
  'offerlet-sandbox': sandboxCommand,
  'offerlet-sandbox network': networkCommand,
};

test('every flag of a command is in its table, and no other', async () => {
  const flagsIn = (path: string, section: string): string[] =>
    tableIn(sectionOf(pageAt(path), section), 'flag').flatMap(([cell = '']) => codeIn(cell));
  expect(flagsIn('docs/relay.md', 'Command').toSorted()).toEqual(await flagsOf(relayCommand));
  expect(flagsIn('docs/sandbox.md', 'Start').toSorted()).toEqual(await flagsOf(sandboxCommand));
  expect(flagsIn('docs/network.md', 'Start').toSorted()).toEqual(await flagsOf(networkCommand));
});

test('every command in a shell block exists, with the flags that it is given', async () => {
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
    const known = command ? ['--help', ...(await flagsOf(command))] : [];
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

/** The flags that a command takes, as its refusal of an unknown one lists them. */
async function flagsOf(command: Command): Promise<string[]> {
  const refusal: unknown = await command({ argv: ['--no-such-flag'], env: {} }).catch((error: unknown) => error);
  const flags = String(refusal).match(/--[a-z-]+/g) ?? [];
  return flags.filter((flag) => flag !== '--no-such-flag').toSorted();
}
