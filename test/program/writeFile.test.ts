import { execFileSync } from 'node:child_process';
import fs, {
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/makeFolder.ts';
import { replaceFile, writeFile } from '../../src/program/print.ts';
import { UsageError } from '../../src/program/ExitError.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = makeFolder();
  path = join(directory, 'report.csv');
});

test('a new file is written, and nothing else is left', () => {
  writeFile(path, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readdirSync(directory)).toEqual(['report.csv']);
});

test.each([0o600, 0o640, 0o666])('a file of mode %o keeps it', (mode) => {
  writeFileSync(path, 'old');
  execFileSync('chmod', [mode.toString(8), path]);
  writeFile(path, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(mode);
});

test.each([true, false])('a link stays one, its target exists: %s', (exists) => {
  const target = join(directory, 'target.csv');
  if (exists) writeFileSync(target, 'old');
  symlinkSync('target.csv', path);
  writeFile(path, 'new');
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('new');
});

test('a pipe is written to and stays one', () => {
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  writeFile(path, 'new');
  expect(readFileSync(reader, 'utf8')).toBe('new');
  closeSync(reader);
  expect(statSync(path).isFIFO()).toBe(true);
});

test("another's temporary file stays", () => {
  const foreign = `${path}.${process.pid}.tmp`;
  writeFileSync(foreign, 'foreign');
  writeFile(path, 'new');
  expect(readFileSync(foreign, 'utf8')).toBe('foreign');
});

test('a directory is refused, and nothing is left in it', () => {
  mkdirSync(path);
  expect(() => writeFile(path, 'new')).toThrow(UsageError);
  expect(() => writeFile(join(directory, 'missing', 'report.csv'), 'new')).toThrow('(ENOENT)');
  expect(readdirSync(directory)).toEqual(['report.csv']);
});

test('where no mode can be changed, a file of its owner alone is written all the same', () => {
  const { chmodSync } = fs;
  fs.chmodSync = () => {
    throw Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' });
  };
  syncBuiltinESMExports();
  try {
    replaceFile(path, 'old', 0o600);
    replaceFile(path, 'new', 0o600);
    expect(() => replaceFile(path, 'newer', 0o640)).toThrow('EPERM');
  } finally {
    fs.chmodSync = chmodSync;
    syncBuiltinESMExports();
  }
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(directory)).toEqual(['report.csv']);
});
