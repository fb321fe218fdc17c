import {
  always,
  bodies,
  bodyOf,
  type BrokenNetwork,
  callsTo,
  eachRow,
  eventsIn,
  headersOf,
  statusOf,
} from './wrappers.ts';

const OFFERS = /^\/recommendations$/;
const ONE = /^\/events$/;
const BATCH = /^\/events\/batch$/;

export const BROKEN_OFFERS: readonly BrokenNetwork[] = [
  {
    does: 'a missing version is accepted',
    only: ['recommendations'],
    fails: ['A1.no-version'],
    wrapper: always(headersOf(OFFERS, (given) => given.has('version') || given.set('version', '1.0.0'))),
  },
  {
    does: 'a call without a key is a 403',
    only: ['recommendations'],
    fails: ['A1.environment', 'A1.key-in-query', 'A1.no-key', 'A1.wrong-key'],
    wrapper: always(statusOf(OFFERS, 401, 403)),
  },
  {
    does: 'a revoked key still works',
    only: ['recommendations', 'revoked-key'],
    fails: ['A1.revoked'],
    wrapper: ({ revoked, integration = '' }) =>
      headersOf(OFFERS, (given) => given.get('x-api-key') === revoked && given.set('x-api-key', integration)),
  },
  {
    does: 'a key of another kind gets offers, and reports events',
    only: ['recommendations', 'channel-and-offers'],
    fails: ['A1.kind', 'E1.kind'],
    wrapper: ({ management, integration = '' }) =>
      headersOf(
        /^\/(recommendations|events)$/,
        (given) => given.get('x-api-key') === management && given.set('x-api-key', integration),
      ),
  },
  {
    does: 'a phone beside an external_guid is ignored',
    only: ['recommendations'],
    fails: ['A2.two'],
    wrapper: always(
      bodies(OFFERS, ({ user_details: user }) => {
        if (user?.phone && user.external_guid) delete user.phone;
      }),
    ),
  },
  {
    does: 'a hash in upper case is refused',
    only: ['recommendations'],
    fails: ['A3.upper-case'],
    wrapper: always(
      bodies(OFFERS, ({ user_details: user }) => {
        if (/[A-F]/.test(user?.email_hash ?? '')) user.email_hash = 'x';
      }),
    ),
  },
  {
    does: 'views are read in any case',
    only: ['recommendations'],
    fails: ['A4.case'],
    wrapper: always(
      bodies(OFFERS, ({ placement_details: placement }) => {
        if (placement?.view) placement.view = placement.view.toUpperCase();
      }),
    ),
  },
  {
    does: 'every shopper has the same session',
    only: ['recommendations'],
    fails: ['A6.session'],
    wrapper() {
      let first: string | undefined;
      return bodyOf(OFFERS, (body) => ({ ...body, session_id: (first ??= body.session_id) }));
    },
  },
  {
    does: 'a logo has a URL without http',
    only: ['recommendations'],
    fails: ['A6.urls'],
    wrapper: always(
      bodyOf(OFFERS, ({ recommendations }) =>
        eachRow(Object.values(recommendations), ({ advertiser }) => (advertiser.logo_url = '//cdn.example/logo.svg')),
      ),
    ),
  },
  {
    does: 'all places have one insertion_id',
    only: ['recommendations'],
    fails: ['A6.groups', 'A6.offers'],
    wrapper: always(
      bodyOf(OFFERS, (body) => eachRow(body.recommendation_groups[0]?.items, (item) => (item.insertion_id = 'one'))),
    ),
  },
  {
    does: 'an advertiser has no name',
    only: ['recommendations'],
    fails: ['A6.offers'],
    wrapper: always(
      bodyOf(OFFERS, (body) => eachRow(Object.values(body.recommendations), (each) => delete each.advertiser.name)),
    ),
  },
  {
    does: 'recommendations is a list',
    only: ['recommendations'],
    fails: ['A6.groups', 'A6.offers', 'A7.shape'],
    wrapper: always(bodyOf(OFFERS, (body) => ({ ...body, recommendations: Object.values(body.recommendations) }))),
  },
  {
    does: 'a test session is not called one',
    only: ['recommendations'],
    fails: ['A8.sandbox'],
    wrapper: always(bodyOf(OFFERS, ({ sandbox: _sandbox, ...body }) => body)),
  },
  {
    does: 'one event is a 200',
    only: ['events'],
    fails: ['E1.one'],
    wrapper: always(statusOf(ONE, 201, 200)),
  },
  {
    does: 'a 207 is a 200',
    only: ['events'],
    fails: ['E2.some'],
    wrapper: always(statusOf(BATCH, 207, 200)),
  },
  {
    does: 'a batch of which none is accepted is a 207',
    only: ['events'],
    fails: ['E2.none'],
    wrapper: always(statusOf(BATCH, 502, 207)),
  },
  {
    does: 'long results come with the accepted first',
    only: ['events'],
    fails: ['E2.some'],
    wrapper: always(
      bodyOf(BATCH, (body) => {
        if (body.results.length < 4) return;
        body.results.sort((one: { success: boolean }, other: { success: boolean }) => +other.success - +one.success);
        for (const [index, each] of body.results.entries()) each.index = index;
      }),
    ),
  },
  {
    does: 'accepted and failed are mixed up',
    only: ['events'],
    fails: ['E2.counts'],
    wrapper: always(bodyOf(BATCH, (body) => ({ ...body, accepted: body.failed, failed: body.accepted }))),
  },
  {
    does: 'what is wrong for good is called retryable',
    only: ['events'],
    fails: ['E6.for-good'],
    wrapper: always(bodyOf(BATCH, ({ results }) => eachRow(results, ({ error }) => error && (error.retryable = true)))),
  },
  {
    does: 'a duplicate is refused',
    only: ['events'],
    fails: ['E3.again', 'E4.same-batch'],
    wrapper() {
      const seen = new Set<string>();
      return eventsIn(BATCH, (event) => {
        const name = `${event.session_id} ${event.event_id}`;
        if (event.event_id && seen.has(name)) event.event_name = 'NOTHING';
        seen.add(name);
      });
    },
  },
  {
    does: 'an event_id is one of the whole network',
    only: ['events'],
    fails: ['E4.other-session'],
    wrapper() {
      const owners = new Map<string, string>();
      return eventsIn(BATCH, (event) => {
        const owner = owners.get(event.event_id) ?? event.session_id;
        owners.set(event.event_id, owner);
        if (event.event_id && owner !== event.session_id) event.event_name = 'NOTHING';
      });
    },
  },
  {
    does: 'an event without an event_id is refused',
    only: ['events'],
    fails: ['E4.no-id'],
    wrapper: always(eventsIn(BATCH, (event) => event.event_id ?? (event.session_id = 'none'))),
  },
  {
    does: 'the offer of an event is not compared',
    only: ['events'],
    fails: ['E6.offer'],
    wrapper() {
      const offers = new Map<string, string>();
      const remember = bodyOf(OFFERS, (body) =>
        eachRow(body.recommendation_groups[0]?.items, (item) => offers.set(item.insertion_id, item.offer_id)),
      );
      const replace = eventsIn(BATCH, ({ brand_properties: brand }) => {
        const offer = offers.get(brand?.insertion_id);
        if (offer) brand.offer_id = offer;
      });
      return (call, send) => remember(call, (next) => replace(next, send));
    },
  },
  {
    does: 'names of events are read in any case',
    only: ['events'],
    fails: ['E6.case'],
    wrapper: always(eventsIn(BATCH, (event) => (event.event_name = event.event_name?.toUpperCase()))),
  },
  {
    does: 'an event of the future is accepted',
    only: ['events'],
    fails: ['E8.ahead'],
    wrapper: always(
      eventsIn(BATCH, (event) => {
        if (Date.parse(event.event_datetime) > Date.now()) event.event_datetime = new Date().toISOString();
      }),
    ),
  },
  {
    does: 'a body of any size is read',
    only: ['events'],
    fails: ['E9.large'],
    wrapper: always(eventsIn(BATCH, (event) => delete event.filler)),
  },
  {
    does: 'a 429 has no Retry-After',
    only: ['events'],
    fails: ['E9.retry-after'],
    wrapper() {
      let calls = 0;
      return async (call, send) => (++calls === 5 ? new Response('{"message":"Later"}', { status: 429 }) : send(call));
    },
  },
  {
    does: 'a conversion is counted for each event that brings it',
    only: ['events-in-reports'],
    fails: ['E4.conversion'],
    wrapper: always(
      eventsIn(BATCH, ({ event_id, conversion_properties: conversion }) => {
        if (conversion) conversion.conversion_id = event_id;
      }),
    ),
  },
  {
    does: 'an event that is sent twice is counted twice',
    only: ['events-in-reports'],
    fails: ['E4.conversion', 'R56.sandbox', 'R61.counted'],
    wrapper: always(eventsIn(BATCH, (event) => (event.event_id = crypto.randomUUID()))),
  },
  {
    does: 'the conversions of test sessions are counted',
    only: ['events-in-reports'],
    fails: ['R56.sandbox'],
    wrapper: always(bodies(OFFERS, ({ custom_metadata: _metadata, ...body }) => body)),
  },
  {
    does: 'clicks of pages for support are counted nowhere',
    only: ['events-in-reports'],
    fails: ['E4.conversion', 'R56.sandbox', 'R61.counted'],
    wrapper: always(callsTo(BATCH, ({ body }) => ({ body: body.replaceAll('BRAND_CLICK', 'BRAND_VIEW') }))),
  },
];
