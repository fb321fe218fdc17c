import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { blocksIn, codeIn, columnOf, pageAt, sectionOf, tableIn, type CodeBlock } from './pages.ts';
import { MERCHANTS } from './merchants.ts';
import { typeCheck, type Source } from './typeCheck.ts';

const page = pageAt('docs/reference/page.md');
const relay = pageAt('docs/reference/relay.md');
const queue = pageAt('docs/reference/queue.md');
const session = pageAt('docs/reference/session.md');
const operators = pageAt('docs/operators/clients.md');

const reference = sectionOf(pageAt('docs/guides/testing.md'), 'Reference');
const fixture = reference.slice(reference.indexOf('The fixture'));

const inRelay = (name: string): string => `import('offerlet/relay').${name}`;
const limitOptions = tableIn(sectionOf(relay, 'Limits'), 'limit').flatMap(([, , option = '']) => codeIn(option));

const blocks = blocksIn('ts', 'tsx', 'js').map(sourceOf);
const tables = [
  record('Mount', "import('offerlet').Mount", columnOf(sectionOf(page, 'Import'), 'member')),
  record('PageApi', typeIn('src/page/openPageApi.ts', 'PageApi'), [
    ...columnOf(sectionOf(page, 'Script tag'), 'method'),
    ...columnOf(sectionOf(page, 'Import'), 'member').filter((name) => name !== 'outcome'),
  ]),
  record(
    'Outcome',
    "import('offerlet').OutcomeCode",
    columnOf(sectionOf(pageAt('docs/errors.md'), 'Outcomes'), '`code`'),
    true,
  ),
  record(
    'PageEvent',
    "import('offerlet').PageEvent['type']",
    columnOf(sectionOf(page, 'Events'), '`event.type`'),
    true,
  ),
  record('ShowOptions', "import('offerlet').ShowOptions", [
    ...columnOf(sectionOf(page, 'Options'), 'option'),
    ...tableIn(sectionOf(page, 'Options'), 'attribute').map(([, at = '']) => codeIn(at)[0]?.split('.')[0] ?? ''),
  ]),
  record(
    'DismissEvent',
    "import('offerlet').DismissEvent['by']",
    codeIn(rowOf(sectionOf(page, 'Events'), '`event.type`', 'dismiss', 2)).filter((word) => /^(?!by$)\w+$/.test(word)),
    true,
  ),
  record(
    'WaitingFor',
    "import('offerlet').WaitingFor",
    codeIn(rowOf(sectionOf(page, 'explain()'), 'field', 'waitingFor')),
    true,
  ),
  record('Explanation', "import('offerlet').Explanation", columnOf(sectionOf(page, 'explain()'), 'field')),
  record(
    'SessionOptions',
    "import('offerlet/session').SessionOptions",
    columnOf(sectionOf(session, 'Options'), 'option'),
  ),
  record('Session', "import('offerlet/session').Session", columnOf(sectionOf(session, 'Methods'), 'method')),
  record('RelayOptions', "import('offerlet/relay').RelayOptions", columnOf(sectionOf(relay, 'Options'), 'option')),
  record(
    'Metrics',
    "import('offerlet/relay').RelayMetricName",
    columnOf(sectionOf(relay, 'Logs and metrics'), '`name`'),
    true,
  ),
  ...(['timeouts', 'limits', 'rateLimit'] as const).map((option) =>
    record(
      option,
      { timeouts: inRelay('RelayTimeouts'), limits: inRelay('RelayLimits'), rateLimit: inRelay('RateLimits') }[option],
      limitOptions.filter((name) => name.startsWith(`${option}.`)).map((name) => name.slice(option.length + 1)),
    ),
  ),
  record('Gauges', inRelay('RelayGaugeName'), codeIn(sentenceIn(relay.text, /`relay\.gauges\(\)` returns(.*)/)), true),
  record('LogEntry', inRelay('LogEntry'), codeIn(sentenceIn(relay.text, /An entry has (.*?)\. /))),
  record(
    'NetworkOptions',
    "import('offerlet-sandbox').NetworkOptions",
    codeIn(sentenceIn(pageAt('docs/operators/network.md').text, /The options are those of the command: (.*)/)),
  ),
  record('QueueOptions', "import('offerlet/queue').QueueOptions", columnOf(sectionOf(queue, 'Options'), 'option')),
  record('Queue', "import('offerlet/queue').Queue", columnOf(sectionOf(queue, 'Methods'), 'method')),
  record(
    'QueueEvent',
    "import('offerlet/queue').QueueEvent['type']",
    columnOf(sectionOf(queue, 'Events'), '`event.type`'),
    true,
  ),
  record(
    'DropReason',
    "import('offerlet/queue').DropReason",
    columnOf(sectionOf(pageAt('docs/errors.md'), 'Dropped events'), '`reason`'),
    true,
  ),
  record('QueueStats', "import('offerlet/queue').QueueStats", codeIn(rowOf(queue.text, 'method', 'stats()', 2))),
  record(
    'ClientOptions',
    "import('offerlet-operator').ClientOptions",
    columnOf(sectionOf(operators, 'Options'), 'option'),
  ),
  record(
    'ConsoleOptions',
    "import('offerlet-operator').ConsoleOptions",
    columnOf(sectionOf(pageAt('docs/operators/README.md'), 'In your own server'), 'option'),
  ),
  record('FakeRelayOptions', "import('offerlet/testing').FakeRelayOptions", columnOf(reference, 'option')),
  record('FakeRelay', "Omit<import('offerlet/testing').FakeRelay, 'targets'>", columnOf(reference, 'member')),
  record(
    'OffersOnPage',
    "Omit<import('offerlet/testing/playwright').OffersOnPage, 'delivered' | 'receipts' | 'requests'>",
    columnOf(fixture, 'member'),
  ),
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

/** A file that type-checks if `names` are exactly the keys of `type`, or its members if it is a union. */
function record(name: string, type: string, names: readonly string[], isUnion = false): Source {
  const keys = isUnion ? type : `keyof ${type}`;
  const entries = [...new Set(names)].map((one) => `${JSON.stringify(one)}: true`).join(', ');
  return {
    name: `${name}.ts`,
    code: `export const documented: Record<${keys}, true> = { ${entries} };`,
    from: { page: `the table of ${name}`, line: 1 },
  };
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
