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
  ['docs/guides/test-your-integration.md', `${DEMO_OFFERS.length} offers and 60 days of history`],
  ['docs/operators/network.md', `\`demo\` (${DEMO_OFFERS.length} offers, 60 days of history)`],
  ['docs/errors.md', `no complete response within ${limits.RELAY_TIMEOUT_MS / 1_000} seconds`],
  ['docs/errors.md', `larger than ${kib(limits.RESPONSE_MAX_BYTES)}`],
  ['docs/operate/security.md', `${kib(limits.RESPONSE_MAX_BYTES)} and ${limits.RESPONSE_MAX_OFFERS} offers`],
  ['docs/data.md', `delivered, or ${days(limits.QUEUE_MAX_AGE_MS)}`],
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
  ['docs/data.md', `| as hashes at the relay, ${days(limits.DEDUPE_MAX_AGE_MS)} |`],
  ['docs/project/wire.md', `with 1 to ${limits.BATCH_MAX_EVENTS} events`],
  ['src/network/contract/rules.md', `takes 1 to ${limits.BATCH_MAX_EVENTS}; any other number`],
  ['src/network/contract/rules.md', `a body over ${kib(limits.EVENTS_BODY_MAX_BYTES)} 413`],
  ['src/network/contract/rules.md', `a body over ${kib(limits.CHANNEL_BODY_MAX_BYTES)} 413`],
  ['src/network/contract/rules.md', `more than ${limits.EVENT_MAX_AHEAD_MS / 60_000} minutes ahead`],
  ['src/network/contract/rules.md', `more than ${days(limits.EVENT_MAX_AGE_MS)} old`],
  [
    'src/network/contract/rules.md',
    `more than ${limits.EVENT_MAX_BEFORE_SESSION_MS / 60_000} minutes before the session was created`,
  ],
  ['src/network/contract/rules.md', `One call adds 1 to ${limits.ADD_MAX_ITEMS} items`],
  ['src/network/contract/rules.md', `\`page_size\` is 1 to ${limits.LIST_PAGE_SIZE.max}`],
  ['src/network/contract/rules.md', `\`page_size\` to ${limits.LIST_PAGE_SIZE.default}`],
  ['src/network/contract/rules.md', `A filter takes 1 to ${limits.FILTER_MAX_VALUES} values`],
  ['src/network/contract/rules.md', `more than ${limits.FILTER_VALUE_MAX_LENGTH} characters`],
  ['src/network/contract/rules.md', `1 to ${count(limits.REPORT_LIMIT.publisher)} on the publisher report`],
  ['src/network/contract/rules.md', `1 to ${limits.REPORT_LIMIT.channel} on the channel report`],
  ['src/network/contract/rules.md', `more than ${count(limits.REPORT_MAX_ROWS)} rows before paging`],
];

test('every public limit is the one in the code', () => {
  const wrong = FIGURES.filter(([path, sentence]) => !pageAt(path).text.includes(sentence));
  expect(wrong.map(([path, sentence]) => `${path} should say: ${sentence}`)).toEqual([]);
});
