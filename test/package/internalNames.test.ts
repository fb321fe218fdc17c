import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { INTERNAL_NAMES } from '../../build/internalNames.ts';
import { scriptTag } from './bytes.ts';

/** Files that declare only what pages, relays, networks, storage or the inspector share with the script. */
const SHARED_FILES =
  /src\/(wire\/offers\/re(quest|sponse)|wire\/events\/(wireEvent|batch)|page\/(offers|inspection|elementTypes\.d|options\/showOptions)|session\/(options|outcome|pageEvent)|queue\/events)\.ts$/;
/** Types that are shared, in files that declare internal ones as well. */
const SHARED_TYPES =
  /^(export )?interface (PageApi|Explanation|ConsentDecision|RawExchange|SessionQueue|Core|Sender|Notes|Rows|KnownRow|EventRow|Backoff|Kept)\b/;
const IN_THE_SCRIPT = /^src\/(script-tag|wire|session|queue|page|widget|dom)\b/;

function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name).replaceAll('\\', '/');
    return entry.isDirectory() ? filesOf(path) : /\.tsx?$/.test(path) ? [path] : [];
  });
}

const sources = filesOf('src').map((path) => {
  // Without comments, import paths and names in types such as Pick<Some, 'name'> and Some['name'].
  const code = readFileSync(path, 'utf8').replace(
    /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\bfrom '.*'|\b(Pick|Omit)<[^>]*>|\b[A-Z]\w*\['\w+'\]/gm,
    '',
  );
  return { path, code };
});

function wordsOf(texts: readonly string[]): Set<string> {
  return new Set(texts.join('\n').match(/\w+/g));
}

test('no name that is shortened is part of what others read or write', () => {
  const types = sources.flatMap(({ code }) => code.split(/^(?=\S)/m)).filter((part) => SHARED_TYPES.test(part));
  expect(types).toHaveLength(13);
  const shared = wordsOf([...types, ...sources.flatMap(({ path, code }) => (SHARED_FILES.test(path) ? [code] : []))]);
  expect(INTERNAL_NAMES.filter((name) => shared.has(name))).toEqual([]);
});

test('no name that is shortened is read by a string', () => {
  // Names alone or in a list, not sentences.
  const strings = wordsOf(
    sources.flatMap(({ path, code }) =>
      IN_THE_SCRIPT.test(path) ? (code.match(/'(?![A-Z][a-z]+ )[\w| -]*'/g) ?? []) : [],
    ),
  );
  expect(INTERNAL_NAMES.filter((name) => strings.has(name))).toEqual([]);
});

test('every name of the list is shortened', () => {
  const code = String(scriptTag()).replace(/":host\{.*?[^\\]"/s, '');
  const used = wordsOf(code.match(/\.\w+|\w+(?=[:(])/g) ?? []);
  expect(INTERNAL_NAMES.filter((name) => used.has(name))).toEqual([]);
  const written = wordsOf(sources.flatMap(({ path, code }) => (IN_THE_SCRIPT.test(path) ? [code] : [])));
  expect(INTERNAL_NAMES.filter((name) => !written.has(name))).toEqual([]);
});
