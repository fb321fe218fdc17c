// Every scenario of the test kit and of the sandbox, request by request: a page in front of either does the same.
import { beforeAll, describe, expect, test } from 'vitest';
import { createSandboxRelay } from '../../src/sandbox/sandboxCommand.ts';
import { EXAMPLE_OFFERS } from '../../src/testing/exampleOffers.ts';
import { fakeRelay, type FakeRelay } from '../../src/testing/fakeRelay.ts';
import { readRecommendations } from '../../src/wire/offers/readRecommendations.ts';
import { SCENARIOS, type Scenario, type ScenarioName } from '../../src/wire/scenarios/scenarios.ts';
import { posting } from '../fixtures/posting.ts';
import { ofSuite } from '../fixtures/opened.ts';
import { event, serveTestNetwork } from '../network/testNetwork.ts';

interface Arrived {
  readonly event: { readonly event_name?: string };
  readonly status: string;
  readonly reason?: string | null;
}

/** The kit or the sandbox. */
interface Side {
  readonly relay: (request: Request) => Promise<Response>;
  arrived(session: string | undefined): Promise<readonly Arrived[]>;
}

const SHOP = 'https://shop.example/offers';
const NO_ITEMS = { session_id: '', items: [] };
/** What each side names and addresses in its own way. */
const OWN = /^(?:id|.*_id|.*_url|footer|message|request_id)$/;

const world = ofSuite(serveTestNetwork);
beforeAll(copyOffers);

describe('kit and sandbox respond the same', () => {
  for (const scenario of [undefined, ...SCENARIOS.filter(({ page }) => !page)])
    test(scenario?.title ?? 'without a scenario', async () => {
      const kit = fakeRelay({ scenario: scenario?.name as ScenarioName | undefined });
      const [ofKit, ofSandbox] = await Promise.all([visit(sideOf(kit)), visit(openSandbox(scenario))]);
      expect(ofSandbox).toEqual(ofKit);
    });
});

test('what differs between two scenarios is found', async () => {
  const [plain, fails] = await Promise.all(
    ([undefined, 'second-event-fails'] as const).map((scenario) => visit(sideOf(fakeRelay({ scenario })))),
  );
  expect(plain).not.toEqual(fails);
});

function sideOf(kit: FakeRelay): Side {
  return { relay: kit, arrived: () => Promise.resolve(kit.receipts as readonly Arrived[]) };
}

function openSandbox(scenario?: Scenario): Side {
  const { integration = '' } = world.network.describe().keys;
  // A busy machine does not decide whether there are offers.
  const timeouts = { recommendations: scenario?.name === 'offers-timeout' ? 100 : 60_000, events: 60_000 };
  return {
    relay: createSandboxRelay({ apiKey: integration, network: world.url, scenario, timeouts }),
    arrived: arrivedAt,
  };
}

/** Does what a page does: requests offers, and sends a batch until it is accepted, or three times. */
async function visit({ relay, arrived }: Side) {
  const offers = await post(relay, '/recommendations', {
    user_details: { external_guid: '1' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  });
  const session = (offers.body as { session_id?: string }).session_id;
  const read = readRecommendations(offers.body, { allowLoopback: true });
  const groups = read.ok ? read.value.groups.map(({ offers: shown }) => shown) : [];
  const now = { event_datetime: new Date().toISOString(), session_id: session };
  const events = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW'].map((name) => event(name, NO_ITEMS, now));
  const batches: Awaited<ReturnType<typeof post>>[] = [];
  // Without offers there is no session, and a page has nothing to send.
  const times = session === undefined ? 0 : 3;
  for (let time = 0; time < times && batches.at(-1)?.status !== 202; time++)
    batches.push(await post(relay, '/events/batch', { events }));
  const receipts = await arrived(session);
  return {
    offers: { status: offers.status, read: plain(read.ok ? { ...read.value, groups } : read) },
    batches: batches.map(({ status, retryAfter, body }) => ({ status, retryAfter, body: plain(body) })),
    stored: receipts.flatMap(({ status, event }) => (status === 'stored' ? [event.event_name ?? ''] : [])).toSorted(),
    refused: receipts.flatMap(({ reason }) => (reason ? [reason] : [])),
  };
}

async function post(relay: Side['relay'], path: string, body: object) {
  const response = await relay(new Request(SHOP + path, posting(body, { origin: 'https://shop.example' })));
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, body: (await response.json()) as unknown };
}

/** A response without what each side names in its own way. */
function plain(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json, (name, value: unknown) => (OWN.test(name) ? undefined : value)));
}

async function arrivedAt(session: string | undefined): Promise<readonly Arrived[]> {
  if (session === undefined) return [];
  return (await world.control('GET', `/sandbox/events?session_id=${session}`)).events;
}

/** Puts the kit's example offers into the sandbox, in the same order. */
async function copyOffers(): Promise<void> {
  for (const [index, { advertiser, offer }] of EXAMPLE_OFFERS.entries()) {
    const { id: _id, ...details } = offer;
    const { id: _advertiser, ...by } = advertiser;
    const weight = 10 ** (9 - 3 * index);
    await world.offer({ ...details, advertiser: by, price_per_conversion: 1, weight });
  }
}
