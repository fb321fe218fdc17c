import { expect, test } from 'vitest';
import { oneOf, readSettings, variableOf } from '../../src/cli/settings.ts';

const TABLE = { port: 'port', 'api-key': 'text', sandbox: 'flag', 'allow-origin': 'list' } as const;
const read = (argv: string[], env: Record<string, string> = {}) => readSettings(TABLE, { argv, env });

test('every option is read from the command line', () => {
  expect(
    read([
      '--port',
      '0',
      '--api-key',
      'k',
      '--sandbox',
      '--allow-origin',
      'https://a.example',
      '--allow-origin',
      'https://b.example',
    ]),
  ).toEqual({
    port: 0,
    'api-key': 'k',
    sandbox: true,
    'allow-origin': ['https://a.example', 'https://b.example'],
  });
});

test('every option is read from its variable when the command line does not name it', () => {
  expect(variableOf('api-key')).toBe('OFFERLET_API_KEY');
  const env = {
    OFFERLET_PORT: '4700',
    OFFERLET_API_KEY: 'from-env',
    OFFERLET_SANDBOX: '1',
    OFFERLET_ALLOW_ORIGIN: 'https://a.example, https://b.example',
  };
  expect(read([], env)).toEqual({
    port: 4700,
    'api-key': 'from-env',
    sandbox: true,
    'allow-origin': ['https://a.example', 'https://b.example'],
  });
  expect(read(['--api-key', 'typed'], env)['api-key']).toBe('typed');
});

test('a flag in the environment can be off, and an empty variable is none', () => {
  for (const off of ['0', 'false', 'no', '']) expect(read([], { OFFERLET_SANDBOX: off }).sandbox).toBe(false);
  expect(read([], { OFFERLET_API_KEY: '' })['api-key']).toBeUndefined();
});

test('a bad port is one line that says what to write', () => {
  for (const bad of ['x', '-1', '65536', '1e3', '80.5'])
    expect(() => read([`--port=${bad}`])).toThrow(/--port is '.*': write a number between 0/);
});

test('an unknown option names the known ones', () => {
  expect(() => read(['--prot', '1'])).toThrow(/'--prot'.*--port --api-key --sandbox --allow-origin/);
});

test('a word of a fixed list falls back to the first and refuses others', () => {
  expect(oneOf('seed', undefined, ['demo', 'empty'])).toBe('demo');
  expect(oneOf('seed', 'empty', ['demo', 'empty'])).toBe('empty');
  expect(() => oneOf('seed', 'full', ['demo', 'empty'])).toThrow("--seed is 'full': write demo or empty.");
});
