import { expect, test } from 'vitest';
import { describeEnd, wantsJson } from '../../src/program/describeEnd.ts';
import { EXIT, ExitError, UsageError } from '../../src/program/ExitError.ts';

test.each([
  [new UsageError('--port is missing.'), ['usage', '--port is missing.', 'Use --help to see all options.', 2]],
  [new UsageError('No key.', 'Set one.'), ['usage', 'No key.', 'Set one.', 2]],
  [
    new ExitError('Refused (401).', EXIT.refused, { hint: 'Check it.' }),
    ['key_refused', 'Refused (401).', 'Check it.', 3],
  ],
  [new ExitError('Too large.', EXIT.failed, { code: 'too_large' }), ['too_large', 'Too large.', null, 1]],
  [new ExitError('2 failed.', EXIT.someFailed), ['some_failed', '2 failed.', null, 5]],
  [new ExitError('1 open.', EXIT.attention), ['attention', '1 open.', null, 6]],
  [new ExitError('Interrupted.', EXIT.interrupted), ['interrupted', 'Interrupted.', null, 130]],
  [Object.assign(new Error('odd'), { stack: undefined }), ['failed', 'odd', null, 1]],
])('%s is one JSON object for programs, and one line for people', (error, [code, message, hint, exit]) => {
  const { text } = describeEnd(error, { json: true });
  expect(JSON.parse(text)).toEqual({ error: { code, message, hint, exit } });
  const line = describeEnd(error, { json: false });
  expect(line.exit).toBe(exit);
  expect(line.text).toContain(`offerlet: ${message}`);
});

test('no key that was typed in the wrong place is repeated', () => {
  const error = new UsageError('--sort is not known: "adnet_sk_live_abc".', 'Did you mean adnet_sk_live_abd?');
  for (const json of [true, false]) expect(describeEnd(error, { json }).text).not.toContain('live_ab');
});

test('--json after -- is a word', () => {
  expect([wantsJson(['report', '--json']), wantsJson(['publishers', 'show', '--', '--json'])]).toEqual([true, false]);
});
