import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/ExitError.ts';
import type { DropReason } from '../../src/queue/events.ts';
import type { OutcomeCode } from '../../src/session/openTrace.ts';
import { CHANNEL_METRICS, PUBLISHER_METRICS } from '../../src/wire/reporting.ts';
import { RATIOS } from '../network/reporting/model.ts';
import { codeIn, columnOf, pageAt, sectionOf, tableIn } from './pages.ts';

const errors = pageAt('docs/errors.md');

/** The entries and the file of each. */
const ENTRIES: Readonly<Record<string, string>> = {
  offerlet: 'index',
  'offerlet-operator': 'operator',
  'offerlet-sandbox': 'network',
  ...Object.fromEntries(
    [
      'element',
      'react',
      'session',
      'consent',
      'relay',
      'client',
      'relay-redis',
      'relay-shopify',
      'shopify',
      'testing',
    ].map((name) => [`offerlet/${name}`, name]),
  ),
};

test.each(Object.entries(ENTRIES))('the page of exports has every value of %s, and no other', (entry, file) => {
  const section = sectionOf(pageAt('docs/reference/exports.md'), entry);
  expect(columnOf(section, 'export').toSorted()).toEqual(exportsOf(`src/${file}.ts`));
});

test('every entry of the packages is on the page of exports', () => {
  const entries = ['.', 'packages/operator', 'packages/sandbox'].flatMap((folder) => {
    const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      name: string;
      exports: Record<string, unknown>;
    };
    return Object.keys(exports)
      .filter((path) => !/\.js(on)?$|commands$/.test(path))
      .map((path) => name + path.slice(1));
  });
  const { text } = pageAt('docs/reference/exports.md');
  expect(entries.filter((entry) => !text.includes(`## ${entry}\n`) && !text.includes(`\`${entry}\``))).toEqual([]);
});

test('the page of errors has every exit code of the commands', () => {
  const documented = tableIn(sectionOf(errors, 'Commands'), 'exit code').map(([code]) => Number(code));
  expect(documented).toEqual([0, ...Object.values(EXIT)]);
});

test('the page of errors has every outcome, and every reason for dropped events', () => {
  const outcomes: Readonly<Record<OutcomeCode, true>> = {
    rendered: true,
    no_offers: true,
    consent_denied: true,
    already_shown: true,
    invalid_config: true,
    refused: true,
    network_error: true,
  };
  const reasons: Readonly<Record<DropReason, true>> = {
    full: true,
    expired: true,
    storage_lost: true,
    dead_letters_full: true,
    withdrawn: true,
  };
  expect(columnOf(sectionOf(errors, 'Outcomes'), '`code`')).toEqual(Object.keys(outcomes));
  expect(columnOf(sectionOf(errors, 'Dropped events'), '`reason`')).toEqual(Object.keys(reasons));
});

test('the page of metrics has every metric of each report', () => {
  const rows = tableIn(pageAt('docs/operators/metrics.md').text, 'metric');
  const of = (column: number): string[] =>
    rows.filter((cells) => cells[column] !== '').flatMap(([name = '']) => codeIn(name));
  expect(of(1).toSorted()).toEqual([...CHANNEL_METRICS].toSorted());
  expect(of(2).toSorted()).toEqual([...PUBLISHER_METRICS].toSorted());
});

test('the page of metrics divides as the reports do', () => {
  const rows = tableIn(pageAt('docs/operators/metrics.md').text, 'metric');
  const documented = rows.flatMap(([name = '', ...columns]) =>
    (['channel', 'publisher'] as const).flatMap((report, column) => {
      const parts = codeIn(columns[column] ?? '');
      return parts.length === 2 ? [[`${report} ${codeIn(name)[0] ?? ''}`, parts]] : [];
    }),
  );
  const ratios = Object.entries(RATIOS).map(([name, [over, under]]) => [name, [over, under]]);
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(ratios));
});

/** The values that a file exports. Each entry is a list of `export { … } from`; editors know the types. */
function exportsOf(path: string): string[] {
  const lists = [...readFileSync(path, 'utf8').matchAll(/^export \{([\s\S]*?)\}/gm)];
  return lists
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .toSorted();
}
