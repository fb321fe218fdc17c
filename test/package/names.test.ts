import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

/** Words that begin the name of a function: a reader looks for the function in the file of that name. */
const VERB =
  /^(read|create|open|parse|check|find|write|add|with|run|judge|print|load|format|serve|send|take|compose|verify|fetch|choose|store|count|apply|mount)[A-Z]/;

test('a file that is named like a function exports that function', () => {
  const files = ['src', 'tools'].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join(root, file)),
  );
  expect(files.length).toBeGreaterThan(100);
  const misnamed = files.filter((file) => {
    const name = basename(file).replace(/\.tsx?$/, '');
    const itsFunction = new RegExp(`^export (async )?(function\\*?|const) ${name}\\b`, 'm');
    return VERB.test(name) && !itsFunction.test(readFileSync(file, 'utf8'));
  });
  expect(misnamed).toEqual([]);
});
