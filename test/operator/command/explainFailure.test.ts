import { expect, test } from 'vitest';
import { AuthError } from '../../../src/operator/clients/errors.ts';
import { explainFailure } from '../../../src/operator/command/explainFailure.ts';

test('a refused key names where it came from', () => {
  const refused = new AuthError('GET /adnet/channel/details/ returned 401: The key has expired.', {
    status: 401,
    reason: 'The key has expired',
  });
  expect(explainFailure(refused).message).toBe('The key has expired (401). Check OFFERLET_API_KEY.');
  expect(explainFailure(refused, 'the key in /etc/key').message).toBe(
    'The key has expired (401). Check the key in /etc/key.',
  );
});
