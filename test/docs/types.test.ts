import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { blocksIn, codeIn, columnOf, pageAt, sectionOf, tableIn, type CodeBlock, type Page } from './pages.ts';
import { MERCHANTS } from './merchants.ts';
import { typeCheck, type Source } from './typeCheck.ts';

const page = pageAt('docs/reference/page.md');
const relay = pageAt('docs/reference/relay.md');
const queue = pageAt('docs/reference/queue.md');
const session = pageAt('docs/reference/session.md');
const operators = pageAt('docs/operators/clients.md');

const reference = sectionOf(pageAt('docs/guides/testing.md'), 'Reference');
const fixture = reference.slice(reference.indexOf('The fixture'));

const [errorPages, production] = [pageAt('docs/errors.md'), pageAt('docs/operators/README.md')];
const limitOptions = tableIn(sectionOf(relay, 'Limits'), 'limit').flatMap(([, , option = '']) => codeIn(option));
const limits = (option: string): string[] =>
  limitOptions.flatMap((name) => (name.startsWith(`${option}.`) ? name.slice(option.length + 1) : []));
const offersOnPage = "Omit<import('offerlet/testing/playwright').OffersOnPage, 'delivered' | 'receipts' | 'requests'>";

const blocks = blocksIn('ts', 'tsx', 'js').map(sourceOf);
const tables = [
  record('offerlet', 'Mount', columnIn(page, 'Import', 'member')),
  keysOf('PageApi', typeIn('src/page/openPageApi.ts', 'PageApi'), [
    ...columnIn(page, 'Script tag', 'method'),
    ...columnIn(page, 'Import', 'member').filter((name) => name !== 'outcome'),
  ]),
  union('offerlet', 'OutcomeCode', columnIn(errorPages, 'Outcomes', '`code`')),
  union('offerlet', "PageEvent['type']", columnIn(page, 'Events', '`event.type`')),
  record('offerlet', 'ShowOptions', [
    ...columnIn(page, 'Options', 'option'),
    ...tableIn(sectionOf(page, 'Options'), 'attribute').map(([, at = '']) => codeIn(at)[0]?.split('.')[0] ?? ''),
  ]),
  union(
    'offerlet',
    "DismissEvent['by']",
    codeIn(rowOf(sectionOf(page, 'Events'), '`event.type`', 'dismiss', 2)).filter((word) => /^(?!by$)\w+$/.test(word)),
  ),
  union('offerlet', 'WaitingFor', codeIn(rowOf(sectionOf(page, 'explain()'), 'field', 'waitingFor'))),
  record('offerlet', 'Explanation', columnIn(page, 'explain()', 'field')),
  record('offerlet/session', 'SessionOptions', columnIn(session, 'Options', 'option')),
  record('offerlet/session', 'Session', columnIn(session, 'Methods', 'method')),
  record('offerlet/relay', 'RelayOptions', columnIn(relay, 'Options', 'option')),
  union('offerlet/relay', 'RelayMetricName', columnIn(relay, 'Logs and metrics', '`name`')),
  record('offerlet/relay', 'RelayTimeouts', limits('timeouts')),
  record('offerlet/relay', 'RelayLimits', limits('limits')),
  record('offerlet/relay', 'RateLimits', limits('rateLimit')),
  union('offerlet/relay', 'RelayGaugeName', codeIn(sentenceIn(relay.text, /`relay\.gauges\(\)` returns(.*)/))),
  record('offerlet/relay', 'LogEntry', codeIn(sentenceIn(relay.text, /An entry has (.*?)\. /))),
  record(
    'offerlet-sandbox',
    'NetworkOptions',
    codeIn(sentenceIn(pageAt('docs/operators/network.md').text, /The options are those of the command: (.*)/)),
  ),
  record('offerlet/queue', 'QueueOptions', columnIn(queue, 'Options', 'option')),
  record('offerlet/queue', 'Queue', columnIn(queue, 'Methods', 'method')),
  union('offerlet/queue', "QueueEvent['type']", columnIn(queue, 'Events', '`event.type`')),
  union('offerlet/queue', 'DropReason', columnIn(errorPages, 'Dropped events', '`reason`')),
  record('offerlet/queue', 'QueueStats', codeIn(rowOf(queue.text, 'method', 'stats()', 2))),
  record('offerlet-operator', 'ClientOptions', columnIn(operators, 'Options', 'option')),
  record('offerlet-operator', 'ConsoleOptions', columnIn(production, 'In your own server', 'option')),
  record('offerlet/testing', 'FakeRelayOptions', columnOf(reference, 'option')),
  keysOf('FakeRelay', "Omit<import('offerlet/testing').FakeRelay, 'targets'>", columnOf(reference, 'member')),
  keysOf('OffersOnPage', offersOnPage, columnOf(fixture, 'member')),
];
let errors: string[] = [];

// One run of the compiler for all of them.
beforeAll(() => {
  errors = typeCheck([...blocks, ...tables, ...MERCHANTS]);
});

test('every code block type-checks against the public entries', () => {
  expect(blocks.length).toBeGreaterThan(10);
  expect(errors.filter((error) => !/^(?:the table of|options|React|Preact)/.test(error))).toEqual([]);
});

test('every table of names has exactly the names of its type', () => {
  expect(errors.filter((error) => error.startsWith('the table of'))).toEqual([]);
});

test('the types accept what a merchant writes and refuse mistakes, even in React and Preact', () => {
  expect(errors.filter((error) => /^(?:options|React|Preact):/.test(error))).toEqual([]);
});

function sourceOf({ page: path, language, code, types, line }: CodeBlock, index: number): Source {
  // JavaScript is checked as TypeScript: what a reader copies compiles under a strict compiler as well.
  const name = `block${index}.${language === 'tsx' ? 'tsx' : 'ts'}`;
  return { name, code: `${types}\n${code}`, from: { page: path, line: line - 1 } };
}

/** A file that type-checks if `names` are exactly the members of a union. */
function exactly(name: string, union: string, names: readonly string[]): Source {
  const entries = [...new Set(names)].map((one) => `${JSON.stringify(one)}: true`).join(', ');
  return {
    name: `${name.replace(/\W.*/, '')}.ts`,
    code: `export const documented: Record<${union}, true> = { ${entries} };`,
    from: { page: `the table of ${name}`, line: 1 },
  };
}

function union(entry: string, name: string, names: readonly string[]): Source {
  return exactly(name, `import('${entry}').${name}`, names);
}

function keysOf(name: string, type: string, names: readonly string[]): Source {
  return exactly(name, `keyof ${type}`, names);
}

function record(entry: string, name: string, names: readonly string[]): Source {
  return keysOf(name, `import('${entry}').${name}`, names);
}

function columnIn(of: Page, section: string, column: string): string[] {
  return columnOf(sectionOf(of, section), column);
}

function sentenceIn(text: string, pattern: RegExp): string {
  return pattern.exec(text)?.[1] ?? '';
}

/** A type that no public entry exports. */
function typeIn(path: string, name: string): string {
  return `import('${join(process.cwd(), path)}').${name}`;
}

/** The second cell, or another one, of the row whose first cell is this name. */
function rowOf(text: string, header: string, name: string, column = 1): string {
  const row = tableIn(text, header).find(([cell]) => cell === `\`${name}\``);
  if (!row) throw new Error(`There is no row for ${name}`);
  return row[column] ?? '';
}
