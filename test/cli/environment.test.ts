import { expect, test } from 'vitest';
import {
  type Command,
  type CommandGroup,
  isGroup,
  type Option,
  readSettings,
  environmentVariable,
} from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { helpFor } from '../../src/cli/runCommands.ts';
import { CONNECTION, readConnected } from '../../src/operator/command/connection.ts';
import { commands as OPERATOR } from '../../src/operator/commands.ts';
import { commands as SANDBOX } from '../../src/sandbox/commands.ts';

const withSubcommands = Object.entries({ ...COMMANDS, ...SANDBOX }).flatMap(
  ([name, command]: [string, Command | CommandGroup]) => [
    ...(isGroup(command) ? [] : [[name, command] as const]),
    ...Object.entries(isGroup(command) ? command.commands : (command.subcommands ?? {})).map(
      ([word, one]) => [`${name} ${word}`, one] as const,
    ),
  ],
);

function exampleOf(option: Option): string {
  if (option.kind === 'choice') return option.choices.at(-1) ?? '';
  return option.kind === 'port' ? '4711' : 'value';
}

test.each(withSubcommands)('offerlet %s takes every flag from its variable', (_, { options }) => {
  expect(Object.keys(options)).toContain('json');
  for (const [name, option] of Object.entries(options)) {
    const typed = option.kind === 'flag' ? [`--${name}`] : [`--${name}`, exampleOf(option)];
    const value = option.kind === 'flag' ? 'true' : exampleOf(option);
    const fromEnv = readSettings(options, { argv: [], env: { [environmentVariable(name)]: value } });
    expect(fromEnv, name).toEqual(readSettings(options, { argv: typed, env: {} }));
    expect(fromEnv, name).not.toEqual(readSettings(options, { argv: [], env: {} }));
  }
});

test('commands of operators read the connection from the environment, and nothing else', () => {
  const options = { ...CONNECTION, limit: { kind: 'text', value: 'N', about: 'Rows.' } } as const;
  const env = { OFFERLET_NETWORK: 'https://channel.example', OFFERLET_API_KEY_FILE: 'key', OFFERLET_LIMIT: '3' };
  expect(readConnected(options, { argv: [], env }).settings).toEqual({
    network: 'https://channel.example',
    'api-key-file': 'key',
    limit: undefined,
  });
});

test('no help of operators promises a variable for each flag', () => {
  const all = Object.values(OPERATOR).flatMap((one) => (isGroup(one) ? Object.values(one.commands) : [one]));
  for (const command of all) expect(helpFor('offerlet-operator', command)).not.toContain('Each option is also');
});
