import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openTerminal, type Terminal } from '../../src/program/terminal.ts';
import { createProgress } from '../../src/program/progress.ts';

let written: string;
beforeEach(() => {
  written = '';
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

function terminalOf(env: Record<string, string>, isTTY = true): Terminal {
  const stream = { isTTY, columns: 40, write: (text: string) => (written += text) };
  return openTerminal({ env: { LANG: 'en_US.UTF-8', ...env }, stdout: stream, stderr: stream, stdin: { isTTY } });
}

test.each([
  [{}, { hasColor: true, isLive: true, hasUnicode: true, width: 40, canAsk: true }],
  [{ NO_COLOR: '1' }, { hasColor: false, isLive: true }],
  [{ NO_COLOR: '' }, { hasColor: true }],
  [{ CI: 'true' }, { hasColor: false, isLive: false }],
  [{ CI: 'false' }, { hasColor: true }],
  [{ TERM: 'dumb' }, { hasColor: false, isLive: false, hasUnicode: false }],
  [{ LC_ALL: 'C' }, { hasUnicode: false, hasColor: true }],
  [{ LC_ALL: 'C.UTF-8' }, { hasUnicode: true }],
  [{ LANG: 'de_DE.ISO-8859-1' }, { hasUnicode: false }],
])('a terminal with %j', (env, expected) => {
  expect(terminalOf(env)).toMatchObject(expected);
});

test('a pipe has no width, no colour, and no person to ask', () => {
  expect(terminalOf({}, false)).toMatchObject({ width: undefined, hasColor: false, isLive: false, canAsk: false });
});

test('progress appears after a second, is rewritten in place, and leaves nothing', () => {
  const progress = createProgress(terminalOf({}));
  progress.step('first');
  vi.advanceTimersByTime(900);
  expect(written).toBe('');
  vi.advanceTimersByTime(200);
  progress.step('a second step that is much longer than forty columns');
  vi.advanceTimersByTime(200);
  expect(written).toBe('\r\u001B[Kfirst\r\u001B[Ka second step that is much longer than…');
  progress.end();
  expect(written.endsWith('\r\u001B[K')).toBe(true);
  const before = written;
  vi.advanceTimersByTime(60_000);
  expect(written).toBe(before);
});

test('in a log, progress is an occasional line, and never the same twice', () => {
  const progress = createProgress(terminalOf({}, false));
  progress.step('working');
  vi.advanceTimersByTime(2_900);
  expect(written).toBe('');
  vi.advanceTimersByTime(20_000);
  expect(written).toBe('working\n');
  progress.end();
  expect(written).toBe('working\n');
});
