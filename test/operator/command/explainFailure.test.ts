import { expect, test } from 'vitest';
import { AuthError } from '../../../src/operator/clients/errors.ts';
import { explainFailure } from '../../../src/operator/command/explainFailure.ts';

test('a refused key names where it came from', () => {
  const refused = new AuthError('GET / returned 401.', { status: 401, reason: 'The key has expired' });
  const from = [undefined, 'the key in /etc/key'].map((source) => explainFailure(refused, source).hint);
  expect(from).toEqual(['Check OFFERLET_API_KEY.', 'Check the key in /etc/key.']);
});
