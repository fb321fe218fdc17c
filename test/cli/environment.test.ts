import { expect, test } from 'vitest';
import { isGroup } from '../../src/program/command.ts';
import { helpFor } from '../../src/program/runCommands.ts';
import { CONNECTION, readConnected } from '../../src/operator/command/connection.ts';
import { commands as OPERATOR } from '../../src/operator/commands.ts';

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
