import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { networkRoutes } from '../../src/network/createNetwork.ts';
import * as sources from '../../src/consent.ts';
import * as clients from '../../src/operator.ts';
import { MESSAGE_KEYS } from '../../src/widget/messages.ts';
import { SCENARIOS } from '../../src/wire/scenarios/scenarios.ts';
import { FORCE_OPTIONS } from '../../src/inspector/forcing.ts';
import { EVENT_NAMES, TARGETS } from '../../src/wire/events.ts';
import { DISPLAY_MODES, IDENTIFIERS, VIEWS } from '../../src/wire/offers/request.ts';
import { FAILURES } from '../../src/operator/failures.ts';
import { COMPARES, PERIODS } from '../../src/operator/reports/period.ts';
import { FILTER_NAMES } from '../../src/operator/reports/reportSpec.ts';
import { CHANNEL_GROUPINGS, REPORT_ERROR_CODES, TIME_GRAINS } from '../../src/wire/reporting.ts';
import { expectGenerated } from './expectGenerated.ts';
import { codeIn, columnOf, pageAt, PAGES, sectionOf, tableIn } from './pages.ts';

const page = pageAt('docs/reference/page.md');
const wire = pageAt('docs/project/wire.md');
const operators = pageAt('docs/operators/clients.md');

test('the page documents every message that can be translated', () => {
  const [, keys = ''] = /with these keys: (.*)/.exec(sectionOf(page, 'Messages')) ?? [];
  expect(codeIn(keys).filter((name) => /^\w+$/.test(name))).toEqual([...MESSAGE_KEYS]);
});

test('the page documents every display mode, and the guide every source of consent', () => {
  const modes = columnOf(sectionOf(page, 'Display modes'), 'mode');
  expect(modes.toSorted()).toEqual([...DISPLAY_MODES].toSorted());
  const guide = sectionOf(pageAt('docs/guides/consent.md'), 'Sources');
  expect(columnOf(guide, 'source').toSorted()).toEqual(Object.keys(sources).toSorted());
});

test('the wire format documents every event, target, view, mode, identifier and error code', () => {
  expect(columnOf(sectionOf(wire, 'Events'), '`event_name`').toSorted()).toEqual([...EVENT_NAMES].toSorted());
  for (const name of [...TARGETS, ...VIEWS, ...DISPLAY_MODES, ...IDENTIFIERS])
    expect(wire.text).toContain(`\`${name}\``);
  for (const code of REPORT_ERROR_CODES) expect(pageAt('src/network/contract/rules.md').text).toContain(`\`${code}\``);
});

test('the clients page documents every method and error', () => {
  const methods = (of: { prototype: object }): string[] =>
    Object.getOwnPropertyNames(of.prototype).filter((name) => name !== 'constructor');
  const documented = columnOf(operators.text, 'method');
  expect(documented.toSorted()).toEqual(methods(clients.ChannelClient).toSorted());
  expect(columnOf(sectionOf(operators, 'Reports'), 'method').toSorted()).toEqual(
    methods(clients.ReportingClient).toSorted(),
  );
  const errors = Object.keys(clients).filter((name) => name.endsWith('Error') && name !== 'ApiError');
  expect(columnOf(sectionOf(operators, 'Errors'), 'error').toSorted()).toEqual(errors.toSorted());
});

test('every control that a page names exists', () => {
  const controls = networkRoutes('staging').map(({ pattern }) => pattern.replace(/\{.*/, ''));
  const named = PAGES.flatMap(({ text }) => text.match(/(?<![a-z])\/sandbox\/[a-z]+/g) ?? []).filter(
    (path) => !controls.some((pattern) => pattern === path || pattern.startsWith(`${path}/`)),
  );
  expect(named).toEqual([]);
});

// After a change: OFFERLET_WRITE_DOCS=1 npx vitest run test/docs/names.test.ts
test('the page of scenarios has each of them, and every parameter of the inspector with its values', () => {
  const path = 'docs/reference/scenarios.md';
  const cell = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ');
  expectGenerated(path, 'scenarios', [
    '| scenario | what happens | what you must see |',
    '|---|---|---|',
    ...SCENARIOS.map(({ name, title, mustSee }) => `| \`${name}\` | ${title} | ${mustSee} |`),
  ]);
  const rows = tableIn(pageAt(path).text, 'parameter').map(([name, values]) => [name, values]);
  const known = FORCE_OPTIONS.map(({ name, values, hint = '' }) => [
    `\`offerlet-${name}\``,
    cell(values.length > 0 ? values : hint.split(' or ')),
  ]);
  expect(rows).toEqual([['`offerlet-scenario`', 'see [Scenarios](#scenarios)'], ...known]);
});

test('the page for operators has every period, grain, breakdown and filter of a report', () => {
  const rows = tableIn(sectionOf(pageAt('docs/operators/README.md'), 'Report'), 'flag');
  const valuesOf = (flag: string): string[] => rows.flatMap(([name, of]) => (name === flag ? codeIn(of ?? '') : []));
  expect(valuesOf('`--period`')).toEqual([...PERIODS.map((name) => name.replaceAll('_', '-')), '7d']);
  expect(valuesOf('`--grain`').toSorted()).toEqual([...TIME_GRAINS].toSorted());
  expect(valuesOf('`--by`')).toEqual([...CHANNEL_GROUPINGS]);
  expect(valuesOf('`--filter`').filter((one) => one.endsWith('='))).toEqual(FILTER_NAMES.map((name) => `${name}=`));
  expect(valuesOf('`--compare`')).toEqual([...COMPARES]);
});

test('the page of errors has every code of the relay', () => {
  const files = readdirSync('src/relay', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const text = ['../cli/createShopContext.ts', ...files]
    .map((path) => readFileSync(join('src/relay', path), 'utf8'))
    .join('\n');
  const codes = new Set([...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(([, code = '']) => code));
  const named = new Set(
    codeIn(sectionOf(pageAt('docs/errors.md'), 'Relay') + sectionOf(pageAt('docs/errors.md'), 'Results of events')),
  );
  expect([...codes].filter((code) => !named.has(code))).toEqual([]);
  const documented = tableIn(sectionOf(pageAt('docs/errors.md'), 'Relay'), 'status').flatMap(([, of = '']) =>
    codeIn(of),
  );
  expect(documented.filter((code) => !new RegExp(`'${code}'`).test(text))).toEqual([]);
});

test('the page of errors has every code of the commands', () => {
  const documented = columnOf(sectionOf(pageAt('docs/errors.md'), 'Commands'), '`code`');
  const sources = ['src/program/describeEnd.ts', 'src/sandbox/verifyCommand.ts'].map((path) =>
    readFileSync(path, 'utf8'),
  );
  const codes = sources.join().match(/(?<=(?:code|\[EXIT\.\w+\]): ')\w+(?=')/g) ?? [];
  const kinds = Object.keys(FAILURES).filter((kind) => kind !== 'file');
  expect(documented.toSorted()).toEqual([...new Set([...codes, ...kinds])].toSorted());
});

test('every alert names a metric of the relay, or its health', () => {
  const alerts = tableIn(sectionOf(pageAt('docs/operate/production.md'), 'Alerts'), 'alert when');
  const metrics = codeIn(sectionOf(pageAt('docs/reference/relay.md'), 'Logs and metrics'));
  for (const [, names = ''] of alerts) for (const name of codeIn(names)) expect(metrics).toContain(name);
});

test('the rules are numbered without a gap', () => {
  const ids = [
    ...pageAt('src/network/contract/rules.md').text.matchAll(/<a id="([a-z]\d+)"><\/a>\*\*([A-Z]\d+)\.\*\*/g),
  ];
  for (const [, id, name] of ids) expect(id).toBe(name?.toLowerCase());
  const upTo = (letter: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
  expect(ids.map(([, id]) => id)).toEqual([...upTo('r', 61), ...upTo('c', 27), ...upTo('a', 9), ...upTo('e', 9)]);
});
