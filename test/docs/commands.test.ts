import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { networkCommand } from '../../src/sandbox/networkCommand.ts';
import { TAXONOMY } from '../../src/network/seed/taxonomy.ts';
import { sandboxCommand } from '../../src/sandbox/sandboxCommand.ts';
import { isGroup, type Command, type CommandGroup } from '../../src/cli/command.ts';
import { COMMANDS as OFFERLET, ELSEWHERE as OTHERS } from '../../src/cli/commands.ts';
import { commands as OPERATOR } from '../../src/operator/commands.ts';
import { blocksIn, codeBlocks, codeIn, columnOf, pageAt, proseOf, PAGES, sectionOf, tableIn } from './pages.ts';

function called(program: string, commands: Readonly<Record<string, Command | CommandGroup>>): Record<string, Command> {
  return Object.fromEntries(
    Object.entries(commands).flatMap(([name, command]) =>
      isGroup(command)
        ? Object.entries(command.commands).map(([word, one]) => [`${program} ${name} ${word}`, one])
        : [[`${program} ${name}`, command]],
    ),
  );
}
const COMMANDS: Readonly<Record<string, Command>> = {
  ...called('offerlet', OFFERLET),
  ...called('offerlet-operator', OPERATOR),
  'offerlet-sandbox': sandboxCommand,
  'offerlet-sandbox network': networkCommand,
};

/** Commands with their own page or section. The operators page documents all others. */
const ELSEWHERE: Readonly<Record<string, { path: string; section: string; table?: string }>> = {
  'offerlet relay': { path: 'docs/reference/relay.md', section: 'Command' },
  'offerlet audit': { path: 'docs/operate/audit.md', section: 'Command' },
  'offerlet-operator watch': { path: 'docs/operators/watch.md', section: 'Command' },
  'offerlet-operator console': { path: 'docs/operators/README.md', section: 'Console' },
  'offerlet events send': { path: 'docs/guides/from-your-server.md', section: 'From a file' },
  'offerlet doctor': { path: 'docs/guides/testing.md', section: 'offerlet doctor' },
  'offerlet csp': { path: 'docs/operate/security.md', section: 'Content Security Policy', table: 'flag of `csp`' },
  'offerlet integrity': { path: 'docs/operate/security.md', section: 'Integrity', table: 'flag of `integrity`' },
  'offerlet-sandbox': { path: 'docs/guides/sandbox.md', section: 'Start' },
  'offerlet-sandbox network': { path: 'docs/operators/network.md', section: 'Start' },
};

test('every flag of a command is in its table, and no other', () => {
  for (const [name, { path, section, table = 'flag' }] of Object.entries(ELSEWHERE)) {
    const documented = tableIn(sectionOf(pageAt(path), section), table).flatMap(([cell = '']) => codeIn(cell));
    expect(documented.toSorted(), name).toEqual(flagsOf(commandNamed(name)));
  }
});

test('the operators page documents every command, and every flag of each', () => {
  const page = pageAt('docs/operators/README.md');
  const commands = Object.keys(COMMANDS).filter((name) => !(name in ELSEWHERE));
  const documented = columnOf(sectionOf(page, 'Commands'), 'command').map((cell) => cell.replace(/ (?:ID|\[).*$/, ''));
  expect(documented.toSorted()).toEqual(
    Object.keys(COMMANDS)
      .filter((name) => name.startsWith('offerlet-operator '))
      .map((name) => name.replace('offerlet-operator ', ''))
      .toSorted(),
  );
  const shared = columnOf(sectionOf(page, 'Commands'), 'flag');
  const rows = tableIn(sectionOf(page, 'Commands'), 'flag of');
  const ownOf = (name: string): string[] =>
    rows.flatMap(([names = '', flags = '']) => (codeIn(names).includes(name) ? codeIn(flags) : []));
  const report = tableIn(sectionOf(page, 'Report'), 'flag of `report`').flatMap(([cell = '']) => codeIn(cell));
  for (const name of commands) {
    const expected = [
      ...shared,
      ...(name === 'offerlet-operator report' ? report : ownOf(name.replace('offerlet-operator ', ''))),
    ];
    expect(flagsOf(commandNamed(name)), name).toEqual(expected.toSorted());
  }
});

test('the walk-through for operators names categories of the sandbox', () => {
  const [file] = codeBlocks(pageAt('docs/operators/README.md')).filter(({ code }) => code.startsWith('brand_name,'));
  const rows = file?.code.trim().split('\n').slice(1) ?? [];
  expect(rows.length).toBeGreaterThan(1);
  for (const row of rows) {
    const [, , category, subcategories = ''] = row.split(',');
    const known = TAXONOMY.find(({ name }) => name === category)?.subcategories.map(({ name }) => name);
    expect(known, row).toEqual(expect.arrayContaining(subcategories.split('; ')));
  }
});

test('every command in a shell block exists, with the flags that it is given', () => {
  const calls = blocksIn('sh').flatMap(({ page, line, code }) =>
    [...code.replaceAll('\\\n', ' ').matchAll(/npx (offerlet(?:-sandbox|-operator)?)((?: +[^\n|&>;#]+)*)/g)].map(
      ([, name = '', rest = '']) => ({ at: `${page}:${line}`, name, rest: rest.trim() }),
    ),
  );
  expect(calls.length).toBeGreaterThan(5);
  for (const { at, name, rest } of calls) {
    const words = rest.split(/\s+/).filter((word) => word !== '' && !word.startsWith('-'));
    const command =
      COMMANDS[[name, ...words.slice(0, 2)].join(' ')] ??
      COMMANDS[[name, ...words.slice(0, 1)].join(' ')] ??
      COMMANDS[name];
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

function commandNamed(name: string): Command {
  const command = COMMANDS[name];
  if (!command) throw new Error(`There is no command "${name}"`);
  return command;
}

/** The flags that a command takes. */
function flagsOf({ options }: Command): string[] {
  return Object.keys(options)
    .map((name) => `--${name}`)
    .toSorted();
}

test('npx runs a package only where it was installed before: otherwise it downloads whatever has the name', () => {
  for (const path of PAGES.map((page) => page.path))
    for (const name of ['offerlet-operator', 'offerlet-sandbox']) {
      const text = readFileSync(path, 'utf8');
      const call = text.indexOf(`npx ${name}`);
      const installed = text.search(new RegExp(`npm install [^\\n]*${name}`));
      if (call >= 0) expect(installed >= 0 && installed < call, path).toBe(true);
    }
});

test('offerlet names every command of the operators, with the same summary', () => {
  const named = Object.entries(OTHERS).filter(([, { from }]) => from === 'offerlet-operator');
  expect(named.map(([name, { summary }]) => [name, summary])).toEqual(
    Object.entries(OPERATOR).map(([name, { summary }]) => [name, summary]),
  );
});
