import type { DisplayMode, View } from '../offers/request.ts';

/** A named situation for tests, and what a tester must see in it. */
export interface Scenario extends Forcing {
  readonly name: string;
  readonly title: string;
  readonly mustSee: string;
}

/** The promo code of every offer in the promo-code scenario. */
export const PROMO_CODE = 'QA-2026';

const TABLE = named([
  {
    name: 'no-offers',
    title: 'The network has no offers for this shopper',
    mustSee: 'Nothing is shown and no gap remains. The outcome is no_offers. The only event is WIDGET_LOAD.',
    response: { offers: 0 },
  },
  {
    name: 'one-offer',
    title: 'The network has one offer',
    mustSee: 'One card without a position and without a back button. Declining it closes the widget.',
    response: { offers: 1 },
  },
  {
    name: 'long-copy',
    title: 'Every text is longer than allowed',
    mustSee: 'Texts are truncated, nothing overflows, and both buttons can be reached at a width of 320 px.',
    response: { copy: 'long' },
  },
  {
    name: 'missing-parts',
    title: 'Offers have missing parts',
    mustSee:
      'The first offer is left out because offer.heading is missing. The others are shown without logo, subheading and disclosure.',
    response: { parts: 'missing' },
  },
  {
    name: 'promo-code',
    title: 'Every offer has a promo code',
    mustSee: `Accepting shows the code ${PROMO_CODE} and a button that copies it.`,
    response: { promo: 'code' },
  },
  {
    name: 'slow-offers',
    title: 'The offers take 1.5 seconds',
    mustSee: 'The page does not move while it waits. Then the offers are shown and the outcome is rendered.',
    faults: [{ route: '/recommendations', delay_ms: 1_500 }],
  },
  {
    name: 'offers-502',
    title: 'The network behind the relay is down',
    mustSee: 'Nothing is shown. The outcome is network_error and names the status 502.',
    faults: [{ route: '/recommendations', status: 502 }],
  },
  {
    name: 'offers-refused',
    title: 'The network refuses the request',
    mustSee: 'Nothing is shown. The outcome is refused, with the reason that the 403 gave.',
    faults: [{ route: '/recommendations', status: 403 }],
  },
  {
    name: 'offers-timeout',
    title: 'The network never responds',
    mustSee: 'Nothing is shown. The outcome is network_error after at most four seconds.',
    faults: [{ route: '/recommendations', delay_ms: 60_000 }],
  },
  {
    name: 'offers-unreachable',
    title: 'The relay cannot be reached',
    mustSee: 'Nothing is shown. The outcome is network_error, with a hint about what to check.',
    faults: [{ route: '/recommendations', drop_connection: true }],
  },
  {
    name: 'invalid-config',
    title: 'The page does not name a relay',
    mustSee: 'Nothing is shown and nothing is requested. The outcome is invalid_config and says what to write.',
    page: { relay: 'missing' },
  },
  {
    name: 'second-event-fails',
    title: '207: the second event of a batch is refused once',
    mustSee: 'Only that event is sent again, after a second or two, and delivered.',
    faults: [{ route: '/events/batch', fail_indexes: [1], times: 1 }],
  },
  {
    name: 'second-event-dead',
    title: '207: the second event of a batch is refused permanently',
    mustSee: 'That event becomes a dead letter with a reason. All others are delivered.',
    faults: [{ route: '/events/batch', fail_indexes: [1], retryable: false, times: 1 }],
  },
  {
    name: 'events-502',
    title: 'Events get a 502, twice',
    mustSee:
      'Offers work as usual. Events wait on disk, are retried after longer and longer delays, and are all delivered.',
    faults: [{ route: '/events/batch', status: 502, times: 2 }],
  },
  {
    name: 'lost-answer',
    title: 'Events arrive, but the response is lost',
    mustSee: 'The same events are sent again and delivered. The report counts each of them once.',
    faults: [{ route: '/events/batch', drop_connection: true, after_commit: true, times: 1 }],
  },
  {
    name: 'rate-limited',
    title: 'Events get a 429 with Retry-After: 2',
    mustSee: 'No event is sent for two seconds. Then all are delivered.',
    faults: [{ route: '/events/batch', status: 429, retry_after: 2, times: 1 }],
  },
  {
    name: 'events-slow',
    title: 'The response to events takes three seconds',
    mustSee: 'Events are in flight for three seconds, then delivered. Nothing is sent twice.',
    faults: [{ route: '/events/batch', delay_ms: 3_000 }],
  },
  {
    name: 'offline',
    title: 'The shopper goes offline once the offers have arrived',
    mustSee: 'Offers work as usual. Events wait on disk. When the scenario is cleared, all are delivered.',
    faults: [{ route: '/events/batch', drop_connection: true }],
  },
  {
    name: 'storage-refused',
    title: 'The browser refuses IndexedDB',
    mustSee: 'Offers work as usual. The queue reports its storage as memory, and events are still delivered.',
    page: { storage: 'refused' },
  },
  {
    name: 'consent-pending',
    title: 'The shopper has not decided about consent',
    mustSee: 'Nothing is shown and nothing is requested. Consent shows the offers; a refusal ends with consent_denied.',
    page: { consent: 'pending' },
  },
  {
    name: 'consent-denied',
    title: 'The shopper has refused consent',
    mustSee: 'Nothing is shown and nothing is requested. The outcome is consent_denied and the queue is empty.',
    page: { consent: 'denied' },
  },
]);

/** The name of a scenario. */
export type ScenarioName = (typeof TABLE)[number]['name'];

/**
 * Every scenario of `offerlet sandbox --scenario NAME`, of `?offerlet=inspect&offerlet-scenario=NAME` and of offerlet/testing.
 */
export const SCENARIOS: readonly Scenario[] = TABLE;

/** Finds a scenario by name. */
export function findScenario(name: unknown): Scenario | undefined {
  return SCENARIOS.find((scenario) => scenario.name === name);
}

/** Keeps the names as types, and only the names: the texts would be in the declarations as well. */
function named<const Name extends string>(
  scenarios: readonly (Scenario & { readonly name: Name })[],
): readonly (Scenario & { readonly name: Name })[] {
  return scenarios;
}

/** A scripted failure of one route. The fields are those of the sandbox network's faults. */
export interface RouteFault {
  readonly route: '/recommendations' | '/events/batch';
  /** Responds with this status instead of forwarding the request. */
  readonly status?: number;
  /** Seconds, sent as the `Retry-After` header. */
  readonly retry_after?: number;
  readonly delay_ms?: number;
  /** Refuses the events at these indexes of a batch; the others go through. */
  readonly fail_indexes?: readonly number[];
  /** Whether a refused event may be sent again; true by default. */
  readonly retryable?: boolean;
  /** Closes the connection without a response. */
  readonly drop_connection?: boolean;
  /** Forwards the request first, then fails: the response is lost. */
  readonly after_commit?: boolean;
  /** How often the fault applies; always by default. */
  readonly times?: number;
}

/** How the offers of a response are changed. */
export interface OfferChanges {
  /** Maximum number of offers. */
  readonly offers?: number;
  /** `long`: every text exceeds its limit. */
  readonly copy?: 'long';
  /** `missing`: removes the heading of the first offer, and every optional field of the others. */
  readonly parts?: 'missing';
  /** `code`: gives every offer a promo code. */
  readonly promo?: 'code';
}

/** What only the page itself can force. */
export interface PageForcing {
  readonly mode?: DisplayMode | undefined;
  readonly view?: View | undefined;
  readonly theme?: 'auto' | 'light' | 'dark' | undefined;
  readonly locale?: string | undefined;
  readonly dir?: 'ltr' | 'rtl' | undefined;
  /** `missing`: the page does not name a relay. */
  readonly relay?: 'missing' | undefined;
  /** `refused`: the browser refuses IndexedDB. */
  readonly storage?: 'refused' | undefined;
  readonly consent?: 'pending' | 'denied' | undefined;
}

/** What a tester forces: in the response, on the network, and on the page. */
export interface Forcing {
  readonly response?: OfferChanges | undefined;
  readonly faults?: readonly RouteFault[];
  readonly page?: PageForcing;
}
