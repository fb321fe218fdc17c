import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { networkCommand } from '../../src/sandbox/networkCommand.ts';
import { TAXONOMY } from '../../src/network/seed/taxonomy.ts';
import { verifyCommand } from '../../src/sandbox/verifyCommand.ts';
import { sandboxCommand } from '../../src/sandbox/sandboxCommand.ts';
import { isGroup, type Command, type CommandGroup } from '../../src/program/command.ts';
import { COMMANDS as OFFERLET, ELSEWHERE as OTHERS } from '../../src/cli/commands.ts';
import { commands as OPERATOR } from '../../src/operator/commands.ts';
import { expectGenerated } from './expectGenerated.ts';
import { blocksIn, codeBlocks, codeIn, columnOf, pageAt, proseOf, PAGES, sectionOf } from './pages.ts';

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
  'offerlet-sandbox verify': verifyCommand,
};

// After a change: OFFERLET_WRITE_DOCS=1 npx vitest run test/docs/commands.test.ts
test('the page of commands has every command with its flags, and that for operators names theirs', () => {
  const all = Object.entries(COMMANDS).flatMap(([name, one]) => [
    [name, one] as const,
    ...Object.entries(one.subcommands ?? {}).map(([word, of]) => [`${name} ${word}`, of] as const),
  ]);
  expectGenerated(
    'docs/reference/commands.md',
    'commands',
    all.flatMap(([name, one]) => describe(name, one)),
  );
  const rows = columnOf(sectionOf(pageAt('docs/operators/README.md'), 'Commands'), 'command');
  const listed = rows.map((cell) => `offerlet-operator ${cell.replace(/ (?:ID|\[).*$/, '')}`);
  expect(listed.toSorted()).toEqual(Object.keys(called('offerlet-operator', OPERATOR)).toSorted());
});

test('every flag in the text of a page is one of a command', () => {
  const flags = new Set(
    Object.values(COMMANDS).flatMap((command) => [...flagsOf(command), ...subcommandFlags(command)]),
  );
  const others = ['--help', '--ignore-scripts', '--provenance', '--load', '--offerlet-'];
  const unknown = PAGES.flatMap((page) =>
    codeIn(proseOf(page))
      .filter((code) => !code.startsWith('npm '))
      .flatMap((code) => code.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? [])
      .filter((flag) => !flags.has(flag) && !others.some((other) => flag.startsWith(other)))
      .map((flag) => `${page.path}: ${flag}`),
  );
  expect(unknown).toEqual([]);
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

/** A section of the page: what the command does, how it is called, and a row for each flag. */
function describe(name: string, { summary, usage = '[options]', options, examples = [] }: Command): string[] {
  const rows = Object.entries(options).map(([flag, option]) => {
    const value = option.kind === 'choice' ? option.choices.join('|') : option.kind === 'port' ? 'PORT' : '';
    const written = 'value' in option ? option.value : value;
    const about = [option.about, ...('default' in option ? [`Default: \`${option.default}\`.`] : [])].join(' ');
    return `| \`--${flag}${written && ` ${written}`}\` | ${about} |`.replaceAll(/(?<=\w)\|(?=\w)/g, '\\|');
  });
  const calls = examples.flatMap(({ call, does }) => [`# ${does}`, call.replace(/(?<=^|\| )(?=offerlet)/, 'npx ')]);
  return [
    `## ${name}\n\n${summary}\n\n\`\`\`text\n${name} ${usage}\n\`\`\`\n`,
    ...(rows.length > 0 ? ['| flag | |', '|---|---|', ...rows, ''] : []),
    ...(calls.length > 0 ? ['```sh', ...calls, '```', ''] : []),
  ];
}

function subcommandFlags({ subcommands = {} }: Command): string[] {
  return Object.values(subcommands).flatMap(flagsOf);
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
