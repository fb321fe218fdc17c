import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEMO_OFFERS } from '../../src/network/seed/demoOffers.ts';
import { DEFAULT_RATE_LIMITS } from '../../src/relay/rateLimits.ts';
import { readOptions } from '../../src/relay/options/readOptions.ts';
import * as limits from '../../src/wire/limits.ts';
import { SCENARIOS } from '../../src/wire/scenarios/scenarios.ts';
import { pageAt } from './pages.ts';

const DAY_MS = 24 * 3_600_000;
const days = (ms: number): string => `${ms / DAY_MS} days`;
const count = (value: number): string => value.toLocaleString('en');
const kib = (bytes: number): string => (bytes >= 1024 ** 2 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`);
const { perAddress, perNetwork, perSession } = DEFAULT_RATE_LIMITS;
const relay = readOptions({ apiKey: 'adnet_rk_test_x', version: '1.0.0', networkUrl: 'http://127.0.0.1' });

/** What a page says, with the numbers taken from the code. */
const FIGURES: readonly (readonly [path: string, sentence: string])[] = [
  ['README.md', `batches of up to ${limits.BATCH_MAX_EVENTS}`],
  ['README.md', `plays ${SCENARIOS.length} scenarios`],
  ['CHANGELOG.md', `an inspector with ${SCENARIOS.length} scenarios`],
  ['docs/start/script-tag.md', `${DEMO_OFFERS.length} offers and 60 days of history`],
  ['docs/guides/sandbox.md', `${DEMO_OFFERS.length} offers and 60 days of history`],
  ['docs/operators/network.md', `\`demo\` (${DEMO_OFFERS.length} offers, 60 days of history)`],
  ['docs/errors.md', `no complete response within ${limits.RELAY_TIMEOUT_MS / 1_000} seconds`],
  ['docs/errors.md', `larger than ${kib(limits.RESPONSE_MAX_BYTES)}`],
  ['docs/operate/security.md', `${kib(limits.RESPONSE_MAX_BYTES)} and ${limits.RESPONSE_MAX_OFFERS} offers`],
  ['docs/operate/security.md', `delivered, or ${days(limits.QUEUE_MAX_AGE_MS)}`],
  ['docs/errors.md', `${count(limits.QUEUE_MAX_EVENTS)} events wait`],
  ['docs/errors.md', `waited for ${days(limits.QUEUE_MAX_AGE_MS)}`],
  ['docs/reference/queue.md', `with 1 to ${limits.BATCH_MAX_EVENTS} events`],
  ...Object.entries({ recommendationsBytes: 413, eventsBytes: 413, answerBytes: 502 } as const).map(
    ([name, status]) =>
      [
        'docs/reference/relay.md',
        `| ${kib(relay.limits[name as keyof typeof relay.limits])} | \`limits.${name}\` | ${status} |`,
      ] as const,
  ),
  ...Object.entries(relay.timeouts).map(
    ([name, ms]) => ['docs/reference/relay.md', `| ${ms / 1_000} s | \`timeouts.${name}\` |`] as const,
  ),
  ['docs/reference/relay.md', `| nesting of a request body | ${limits.JSON_MAX_DEPTH} levels |`],
  ['docs/errors.md', `nested more than ${limits.JSON_MAX_DEPTH} levels deep`],
  ['docs/reference/relay.md', `| events in a batch | ${limits.BATCH_MAX_EVENTS} | | 400 |`],
  ['docs/reference/relay.md', `${count(perAddress.burst)} at once, then ${count(perAddress.perSecond)} per second`],
  ['docs/reference/relay.md', `${count(perNetwork.burst)} at once, then ${count(perNetwork.perSecond)} per second`],
  ['docs/reference/relay.md', `${count(perSession.burst)} at once, then ${count(perSession.perSecond)} per second`],
  ['docs/reference/relay.md', `A burst below ${limits.BATCH_MAX_EVENTS} for sessions`],
  ['docs/reference/relay.md', `older than ${days(limits.EVENT_MAX_AGE_MS)}`],
  ['docs/project/wire.md', `for ${days(limits.DEDUPE_MAX_AGE_MS)}, longer than any sender retains them`],
  ['docs/project/wire.md', `after ${limits.QUEUE_MAX_REFUSALS} refusals`],
  ['docs/project/wire.md', `dropped at ${days(limits.QUEUE_MAX_AGE_MS)} of age`],
  ['docs/project/wire.md', `holds ${count(limits.QUEUE_MAX_EVENTS)} events`],
  ['docs/project/wire.md', `with 1 to ${limits.BATCH_MAX_EVENTS} events`],
  ['docs/project/rules.md', `takes 1 to ${limits.BATCH_MAX_EVENTS}; any other number`],
  ['docs/project/rules.md', `a body over ${kib(limits.EVENTS_BODY_MAX_BYTES)} 413`],
  ['docs/project/rules.md', `a body over ${kib(limits.CHANNEL_BODY_MAX_BYTES)} 413`],
  ['docs/project/rules.md', `more than ${limits.EVENT_MAX_AHEAD_MS / 60_000} minutes ahead`],
  ['docs/project/rules.md', `more than ${days(limits.EVENT_MAX_AGE_MS)} old`],
  [
    'docs/project/rules.md',
    `more than ${limits.EVENT_MAX_BEFORE_SESSION_MS / 60_000} minutes before the session was created`,
  ],
  ['docs/project/rules.md', `One call adds 1 to ${limits.ADD_MAX_ITEMS} items`],
  ['docs/project/rules.md', `\`page_size\` is 1 to ${limits.LIST_PAGE_SIZE.max}`],
  ['docs/project/rules.md', `\`page_size\` to ${limits.LIST_PAGE_SIZE.default}`],
  ['docs/project/rules.md', `A filter takes 1 to ${limits.FILTER_MAX_VALUES} values`],
  ['docs/project/rules.md', `more than ${limits.FILTER_VALUE_MAX_LENGTH} characters`],
  ['docs/project/rules.md', `1 to ${count(limits.REPORT_LIMIT.publisher)} on the publisher report`],
  ['docs/project/rules.md', `1 to ${limits.REPORT_LIMIT.channel} on the channel report`],
  ['docs/project/rules.md', `more than ${count(limits.REPORT_MAX_ROWS)} rows before paging`],
];

/** The value of a constant that its file does not export. */
function constantIn(path: string, name: string): number {
  const [, text = ''] = new RegExp(`const ${name} = ([\\d_ */]+);`).exec(readFileSync(path, 'utf8')) ?? [];
  if (text === '') throw new Error(`${path} has no number ${name}`);
  return text
    .replaceAll('_', '')
    .split('*')
    .reduce((product, factor) => product * Number(factor), 1);
}

const seconds = (path: string, name: string): number => constantIn(path, name) / 1_000;
const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const inWords = (value: number): string => words[value] ?? String(value);
const UPSTREAM = 'src/relay/upstream/createUpstream.ts';
const CONNECT = 'src/operator/clients/connect.ts';
const SETTLE = 'src/queue/settle.ts';

/** The same for numbers that belong to one file. */
const PRIVATE_FIGURES: readonly (readonly [path: string, sentence: string])[] = [
  ['docs/errors.md', `${constantIn('src/queue/rows.ts', 'DEAD_MAX')} dead letters are stored`],
  ['docs/reference/page.md', `the last ${constantIn('src/session/openTrace.ts', 'EVENTS_MAX')} [events]`],
  [
    'docs/reference/page.md',
    `for ${constantIn('src/session/sessionStorage.ts', 'KEPT_MS') / 3_600_000} hours, without`,
  ],
  [
    'docs/reference/page.md',
    `collapses after ${inWords(seconds('src/page/mountOffers.ts', 'IDLE_MS'))} seconds without input`,
  ],
  [
    'docs/reference/queue.md',
    `waits ${seconds(SETTLE, 'FAILURE_PAUSE_MS')} to 1 s, then up to ${seconds(SETTLE, 'EAGER_DELAY_MS')} s, later up to ${seconds(SETTLE, 'LONGEST_DELAY_MS') / 60} minutes`,
  ],
  [
    'docs/reference/relay.md',
    `After ${inWords(constantIn(UPSTREAM, 'FAILURES_MAX'))} failures in a row on one path of the network, its circuit opens: for ${inWords(seconds(UPSTREAM, 'PAUSE_MS'))} seconds`,
  ],
  [
    'docs/reference/relay.md',
    `Only ${inWords(constantIn(UPSTREAM, 'FAILURES_PER_CLIENT'))} failures of one client count`,
  ],
  [
    'docs/reference/relay.md',
    `At most ${constantIn('src/relay/createHandler.ts', 'CALLS_PER_CLIENT')} calls of one client`,
  ],
  ['docs/errors.md', `${constantIn('src/relay/createHandler.ts', 'CALLS_PER_CLIENT')} calls of one client wait`],
  ['docs/reference/relay.md', `counts as ${inWords(1 + constantIn('src/relay/rateLimits.ts', 'UNAUTHORIZED_COST'))}.`],
  [
    'docs/reference/relay.md',
    `your response, within ${constantIn('src/cli/createShopContext.ts', 'SHOP_CONTEXT_MS')} ms`,
  ],
  ['docs/guides/prefetch.md', `| \`timeout\` | ${constantIn('src/relay/prefetch.ts', 'TIMEOUT_MS')} |`],
  [
    'docs/guides/prefetch.md',
    `within ${inWords(constantIn('src/wire/offers/prefetched.ts', 'PREFETCHED_MAX_AGE_MS') / 60_000)} minutes`,
  ],
  [
    'docs/guides/prefetch.md',
    `at least ${constantIn('src/cli/relayCommand.ts', 'TOKEN_MIN_LENGTH')} random characters`,
  ],
  ['docs/operators/clients.md', `| \`timeout\` | ${count(constantIn(CONNECT, 'TIMEOUT_MS'))} ms |`],
  ['docs/operators/clients.md', `| \`maxRetries\` | ${constantIn(CONNECT, 'MAX_RETRIES')} |`],
  ['docs/operators/clients.md', `more than ${seconds(CONNECT, 'MAX_RETRY_AFTER_MS')} seconds`],
  [
    'docs/operators/network.md',
    `silent for ${seconds('src/network/database/postgres.ts', 'STATEMENT_TIMEOUT_MS')} seconds`,
  ],
  ['docs/operators/network.md', `${constantIn('src/network/recommendations/shelves.ts', 'MAX_OFFERS')} by default`],
  ['docs/operators/network.md', `after ${seconds('src/cli/listen.ts', 'CLOSE_MS')} seconds with 1`],
  [
    'docs/operators/watch.md',
    `with the ${inWords(constantIn('src/operator/watch/webhook.ts', 'NAMED_MAX'))} first names`,
  ],
  [
    'docs/reference/relay.md',
    `${count(constantIn('src/relay/dedupe/createDedupeMemory.ts', 'DEFAULT_MAX'))} events in 9 MB`,
  ],
  [
    'docs/reference/relay.md',
    `${count(constantIn('src/relay/dedupe/openDedupeFile.ts', 'DEFAULT_MAX'))} events in 46 MB`,
  ],
  ['docs/operate/audit.md', `for ${constantIn('src/relay/dedupe/openDedupeFile.ts', 'KEPT_DAYS')} days`],
  ['docs/data.md', `at the relay, ${constantIn('src/relay/dedupe/openDedupeFile.ts', 'KEPT_DAYS')} days`],
  [
    'docs/reference/relay.md',
    `off by more than ${seconds('src/relay/events/createEventRoutes.ts', 'TOLERANCE_MS')} seconds`,
  ],
  ['docs/project/rules.md', `by default ${count(constantIn('src/network/reporting/routes.ts', 'SOURCE_MAX_ROWS'))}`],
];

test('every limit and figure is the one in the code', () => {
  const wrong = [...FIGURES, ...PRIVATE_FIGURES].filter(([path, sentence]) => !pageAt(path).text.includes(sentence));
  expect(wrong.map(([path, sentence]) => `${path} should say: ${sentence}`)).toEqual([]);
});
