import { expect, test } from 'vitest';
import { openSession } from '../../src/session/openSession.ts';

test('options that are not valid end in invalid_config, never in an exception', async () => {
  const session = openSession({} as Parameters<typeof openSession>[0]);
  expect(await session.result).toMatchObject({ code: 'invalid_config', groups: [], footer: {}, isSandbox: false });
});
