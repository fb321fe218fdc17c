import { EVENT_NAMES, TARGETS } from '../../wire/events/wireEvent.ts';
import { BATCH_MAX_EVENTS } from '../../wire/limits.ts';
import { operation, PARTNER_REFUSALS } from './operation.ts';
import { VERSION_HEADER } from './recommendations.ts';
import {
  BOOLEAN,
  DATETIME,
  INTEGER,
  type Part,
  type Schema,
  TEXT,
  UUID,
  about,
  list,
  object,
  oneOfTexts,
  ref,
} from './schema.ts';

const tag = 'Recommendations';

/** The schemas of events and their responses. */
export const EVENT_SCHEMAS: Readonly<Record<string, Schema>> = {
  Event: object(
    {
      event_name: oneOfTexts(EVENT_NAMES),
      event_datetime: about(
        DATETIME,
        'When it happened: at most 5 minutes in the future, at most 30 days ago, at most 5 minutes before its session was created.',
      ),
      session_id: UUID,
    },
    {
      event_id: about(
        TEXT,
        'Identifies the event within its session, so that sending it again is safe. Usually a UUID.',
      ),
      initiating_target: oneOfTexts(TARGETS),
      brand_properties: about(
        object({ offer_id: TEXT, advertiser_id: TEXT, insertion_id: TEXT }),
        'Required for BRAND_ events, PRODUCT_ events and CONVERSION.',
      ),
      asset_id: TEXT,
      product_properties: object({ product_id: TEXT }),
      conversion_properties: about(
        object(
          { conversion_id: TEXT },
          { order_id: TEXT, amount: { type: ['number', 'string'] }, currency_code: TEXT },
        ),
        'For a CONVERSION. Each conversion_id counts once.',
      ),
    },
  ),
  BatchResponse: object({
    results: list(
      object(
        { index: INTEGER, success: BOOLEAN },
        { error: object({ code: TEXT, message: TEXT, retryable: BOOLEAN }) },
      ),
    ),
    accepted: INTEGER,
    failed: INTEGER,
  }),
};

/** POST /events and POST /events/batch. */
export const EVENT_CONTRACT: Readonly<Record<string, Part>> = {
  '/events': {
    post: operation({
      tag,
      summary: 'Report one event',
      parameters: [VERSION_HEADER],
      body: ref('Event'),
      responses: { 201: ['Stored.'], ...PARTNER_REFUSALS },
    }),
  },
  '/events/batch': {
    post: operation({
      tag,
      summary: `Report 1 to ${BATCH_MAX_EVENTS} events`,
      description:
        'Events with a success are stored. Send only the failures again, and only those whose error is retryable.',
      parameters: [VERSION_HEADER],
      body: object({ events: list(ref('Event'), { minItems: 1, maxItems: BATCH_MAX_EVENTS }) }),
      responses: {
        202: ['All accepted.', ref('BatchResponse')],
        207: ['Some accepted.', ref('BatchResponse')],
        502: ['None accepted.', ref('BatchResponse')],
        ...PARTNER_REFUSALS,
      },
    }),
  },
};
