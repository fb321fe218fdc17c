import type { Forcing } from './forcing.ts';

/** A situation that can be asked for by its name, and what must be seen in it. */
export interface Scenario extends Forcing {
  readonly name: string;
  readonly title: string;
  readonly mustSee: string;
}

/** The code that the promo-code scenario gives every offer. */
export const PROMO_CODE = 'QA-2026';

/** Every scenario of `offerlet sandbox --scenario NAME` and of `?offerlet=inspect&offerlet-scenario=NAME`. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'no-offers',
    title: 'The network has no offer for this shopper',
    mustSee: 'Nothing on the page, no gap; outcome no_offers; the only event is WIDGET_LOAD.',
    answer: { offers: 0 },
  },
  {
    name: 'one-offer',
    title: 'The network has a single offer',
    mustSee: 'One card without a position and without a back button; declining it ends the widget.',
    answer: { offers: 1 },
  },
  {
    name: 'long-copy',
    title: 'Every text is as long as it can be',
    mustSee: 'Texts are cut at their limits, nothing overflows, both buttons can be reached at 320 px.',
    answer: { copy: 'long' },
  },
  {
    name: 'missing-parts',
    title: 'Offers come with parts missing',
    mustSee:
      'The first offer is left out because offer.heading is missing; the others stand without logo, subheading and disclosure.',
    answer: { parts: 'missing' },
  },
  {
    name: 'promo-code',
    title: 'Every offer comes with a promo code',
    mustSee: `After accepting, the code ${PROMO_CODE} and a button that copies it.`,
    answer: { promo: 'code' },
  },
  {
    name: 'slow-offers',
    title: 'The offers take one and a half seconds',
    mustSee: 'The page stands still meanwhile; then the offers are shown; outcome rendered.',
    faults: [{ route: '/recommendations', delay_ms: 1_500 }],
  },
  {
    name: 'offers-502',
    title: 'The network behind the relay is down',
    mustSee: 'Nothing on the page; outcome network_error, which names the status 502.',
    faults: [{ route: '/recommendations', status: 502 }],
  },
  {
    name: 'offers-refused',
    title: 'The network refuses the question',
    mustSee: 'Nothing on the page; outcome refused, with the reason that came with the 403.',
    faults: [{ route: '/recommendations', status: 403 }],
  },
  {
    name: 'offers-timeout',
    title: 'The question is never answered',
    mustSee: 'Nothing on the page; outcome network_error after four seconds at most.',
    faults: [{ route: '/recommendations', delay_ms: 60_000 }],
  },
  {
    name: 'offers-unreachable',
    title: 'The question never arrives',
    mustSee: 'Nothing on the page; outcome network_error with what to look at.',
    faults: [{ route: '/recommendations', drop_connection: true }],
  },
  {
    name: 'invalid-config',
    title: 'The page names no relay',
    mustSee: 'Nothing on the page, nothing asked; outcome invalid_config, which says what to write.',
    page: { relay: 'missing' },
  },
  {
    name: 'second-event-fails',
    title: '207: the second event of a batch is refused once',
    mustSee: 'That event alone is retried, in a second or two, and delivered; no other is sent again.',
    faults: [{ route: '/events/batch', fail_indexes: [1], times: 1 }],
  },
  {
    name: 'second-event-dead',
    title: '207: the second event of a batch is refused for good',
    mustSee: 'That event is a dead letter with its reason; all others are delivered.',
    faults: [{ route: '/events/batch', fail_indexes: [1], retryable: false, times: 1 }],
  },
  {
    name: 'events-502',
    title: 'Events meet an outage, twice',
    mustSee: 'Offers as ever; events wait on disk, are tried again with growing pauses, then all are delivered.',
    faults: [{ route: '/events/batch', status: 502, times: 2 }],
  },
  {
    name: 'lost-answer',
    title: 'Events arrive, but the answer is lost on its way back',
    mustSee: 'The same events are sent again and delivered; the report counts each once.',
    faults: [{ route: '/events/batch', drop_connection: true, after_commit: true, times: 1 }],
  },
  {
    name: 'rate-limited',
    title: 'Events are answered 429 with Retry-After: 2',
    mustSee: 'No event is sent for two seconds, then all are delivered.',
    faults: [{ route: '/events/batch', status: 429, retry_after: 2, times: 1 }],
  },
  {
    name: 'events-slow',
    title: 'Events are answered after three seconds',
    mustSee: 'Events are in flight for three seconds, then delivered; nothing is sent twice.',
    faults: [{ route: '/events/batch', delay_ms: 3_000 }],
  },
  {
    name: 'offline',
    title: 'The shopper goes offline once the offers are there',
    mustSee: 'Offers as ever; events wait on disk; when the scenario is cleared all are delivered.',
    faults: [{ route: '/events/batch', drop_connection: true }],
  },
  {
    name: 'storage-refused',
    title: 'The browser refuses IndexedDB',
    mustSee: 'Offers as ever; the queue says memory, and events are delivered all the same.',
    page: { storage: 'refused' },
  },
  {
    name: 'consent-pending',
    title: 'The shopper has not answered the consent question',
    mustSee: 'Nothing on the page and nothing asked; a yes shows the offers, a no ends in consent_denied.',
    page: { consent: 'pending' },
  },
  {
    name: 'consent-denied',
    title: 'The shopper has said no',
    mustSee: 'Nothing on the page; outcome consent_denied; nothing asked, the queue empty.',
    page: { consent: 'denied' },
  },
];

/** The scenario of a name. */
export function findScenario(name: unknown): Scenario | undefined {
  return SCENARIOS.find((scenario) => scenario.name === name);
}
