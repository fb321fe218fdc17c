import { expect, test } from 'vitest';
import { type Options, readSettings, environmentVariable } from '../../src/program/command.ts';

const OPTIONS = {
  port: { kind: 'port', default: 4600, about: 'Port.' },
  'api-key': { kind: 'text', value: 'KEY', about: 'Key.' },
  version: { kind: 'text', value: 'VERSION', default: '1.0.0', about: 'Version.' },
  seed: { kind: 'choice', choices: ['demo', 'empty'], default: 'demo', about: 'Contents.' },
  environment: { kind: 'choice', choices: ['staging', 'production'], about: 'Environment.' },
  sandbox: { kind: 'flag', about: 'Tests only.' },
  'allow-origin': { kind: 'list', value: 'ORIGIN', about: 'Origin.' },
} as const satisfies Options;
const read = (argv: string[], env: Record<string, string> = {}) => readSettings(OPTIONS, { argv, env });

const DEFAULTS = {
  port: 4600,
  'api-key': undefined,
  version: '1.0.0',
  seed: 'demo',
  environment: undefined,
  sandbox: false,
  'allow-origin': [],
};

test('options that are not given have their defaults', () => {
  expect(read([])).toEqual(DEFAULTS);
});

test('every kind of option is read from the command line', () => {
  const origins = ['--allow-origin', 'https://a.example', '--allow-origin=https://b.example'];
  expect(read(['--port', '0', '--api-key', 'k', '--seed=empty', '--sandbox', ...origins])).toEqual({
    ...DEFAULTS,
    port: 0,
    'api-key': 'k',
    seed: 'empty',
    sandbox: true,
    'allow-origin': ['https://a.example', 'https://b.example'],
  });
});

test('every kind of option is read from its variable, and the command line takes precedence', () => {
  expect(environmentVariable('api-key')).toBe('OFFERLET_API_KEY');
  const env = {
    OFFERLET_PORT: '4700',
    OFFERLET_API_KEY: 'from-env',
    OFFERLET_ENVIRONMENT: 'production',
    OFFERLET_SANDBOX: '1',
    OFFERLET_ALLOW_ORIGIN: 'https://a.example, https://b.example',
  };
  expect(read([], env)).toEqual({
    ...DEFAULTS,
    port: 4700,
    'api-key': 'from-env',
    environment: 'production',
    sandbox: true,
    'allow-origin': ['https://a.example', 'https://b.example'],
  });
  expect(read(['--api-key', 'typed'], env)['api-key']).toBe('typed');
});

test('a flag in the environment can be off, and an empty variable counts as not set', () => {
  for (const off of ['0', 'false', 'no', '']) expect(read([], { OFFERLET_SANDBOX: off }).sandbox).toBe(false);
  expect(read([], { OFFERLET_API_KEY: '' })['api-key']).toBeUndefined();
});

test.each([
  [['--prot', '1'], 'Unknown option --prot. Did you mean --port?'],
  [['--origin', 'x'], 'Unknown option --origin.'],
  [['-p', '1'], 'Unknown option -p.'],
  [['start'], 'Unexpected argument "start".'],
  [['--port'], '--port requires a value, such as --port=VALUE.'],
  [['--api-key', '--sandbox'], '--api-key requires a value, such as --api-key=VALUE.'],
  [['--sandbox=yes'], '--sandbox does not take a value.'],
  [['--seed', 'dmeo'], '--seed is not a valid value: "dmeo". Did you mean demo? Use demo or empty.'],
])('%j is refused with what to write', (argv, message) => {
  expect(() => read(argv)).toThrow(new RegExp(`^${message.replaceAll(/[.?]/g, String.raw`\$&`)}$`));
});

test.each(['x', '-1', '65536', '1e3', '80.5'])('%s is refused as a port', (port) => {
  const message = `is not a valid port: "${port}". Use a number from 0 (any free port) to 65535.`;
  expect(() => read([`--port=${port}`])).toThrow(`--port ${message}`);
  expect(() => read([], { OFFERLET_PORT: port })).toThrow(`OFFERLET_PORT ${message}`);
});
