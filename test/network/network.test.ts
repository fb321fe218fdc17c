import { expect, test, vi } from 'vitest';
import { logToStderr } from '../../src/network/createFetch.ts';

test('a line of the log holds no command of a CI system and no control character', () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  logToStderr({ at: '2026-01-01T00:00:00Z', level: 'error', message: '::set-env::\n##[error]\u009b31m \u202e' });
  write.mockRestore();
  expect(lines.join('')).toMatch(/^\{[ -~]*\}\n$/);
  expect(lines.join('')).not.toContain('##[');
  expect(JSON.parse(lines.join(''))).toMatchObject({ message: '::set-env::\n##[error]\u009b31m \u202e' });
});
