import { expect, test } from 'vitest';
import { helpFor } from '../../src/program/runCommands.ts';
import { isGroup, type Command } from '../../src/program/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { commands as operatorCommands } from '../../src/operator/commands.ts';
import { commands } from '../../src/sandbox/commands.ts';

const ALL: Readonly<Record<string, Command>> = {
  ...commands,
  ...Object.fromEntries(
    Object.entries({ ...COMMANDS, ...operatorCommands }).flatMap(([name, command]) =>
      isGroup(command)
        ? Object.entries(command.commands).map(([word, one]) => [`${name} ${word}`, one])
        : [[name, command]],
    ),
  ),
};

test.each(Object.entries(ALL))('the help of %s describes each option on lines of 100 characters', (name, command) => {
  const help = helpFor(`offerlet ${name}`, command);
  expect(help).toContain(`Usage: offerlet ${name} ${command.usage ?? '[options]'}`);
  for (const option of Object.keys(command.options)) expect(help).toMatch(new RegExp(`^  --${option}( |$)`, 'm'));
  expect(help.match(/^Exit codes:/gm)?.length ?? 0).toBeLessThanOrEqual(1);
  for (const line of help.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
});

test.each(Object.entries(ALL))('every sentence in the help of %s ends with a full stop', (_, { summary, options }) => {
  for (const text of [summary, ...Object.values(options).map(({ about }) => about)])
    expect(text).toMatch(/^[A-Z].*\.$/s);
});

test('the help of a command shows placeholders, choices, defaults and what can be repeated', () => {
  expect(
    helpFor('offerlet try', {
      summary: 'Tries something.',
      options: {
        url: { kind: 'text', value: 'URL', about: 'The URL.' },
        mode: { kind: 'choice', choices: ['a', 'b'], default: 'a', about: 'The mode.' },
        port: { kind: 'port', default: 1, about: 'The port.' },
        origin: { kind: 'list', value: 'ORIGIN', about: 'An origin.' },
        json: { kind: 'flag', about: 'Prints JSON.' },
      },
    }),
  ).toBe(`Tries something.

Usage: offerlet try [options]

Options:
  --url URL        The URL.
  --mode a|b       The mode. Default: a.
  --port PORT      The port. Default: 1.
  --origin ORIGIN  An origin. Can be repeated.
  --json           Prints JSON.
  --help           Prints this text.

Each option is also an environment variable: --url is OFFERLET_URL.
Errors and exit codes: https://github.com/offerlet/offerlet/blob/main/docs/errors.md#commands
`);
});
