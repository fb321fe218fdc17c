import { DISPLAY_MODES, VIEWS } from '../../wire/offers/request.ts';
import {
  endpoints,
  AMOUNT,
  type ResponsePart,
  BOOLEAN,
  INTEGER,
  type Part,
  type Schemas,
  TEXT,
  TRUE,
  URL_TEXT,
  UUID,
  about,
  list,
  map,
  object,
  oneOfTexts,
  ref,
  refusals,
  DATETIME,
} from './operation.ts';
import { EVENT_NAMES, TARGETS } from '../../wire/events.ts';
import { BATCH_MAX_EVENTS } from '../../wire/limits.ts';

const cost = object({}, { amount: AMOUNT, currency_code: TEXT });

/** The version header of the Recommendations API. */
const VERSION_HEADER: Part = {
  name: 'version',
  in: 'header',
  required: true,
  schema: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
  description: 'The version of the API that the caller uses, such as 1.0.0.',
};

/** The responses that every endpoint of the Recommendations API has. */
const REFUSALS: Readonly<Record<number, ResponsePart>> = {
  ...refusals(ref('Message')),
  400: ['The body or the version header is not valid. Nothing was stored.', ref('Message')],
  413: ['The body is too large.', ref('Message')],
  415: ['Content-Type is not application/json.', ref('Message')],
  429: ['Too many requests. Nothing was stored; try again after Retry-After seconds.', ref('Message')],
};

/** The schemas of POST /recommendations. */
export const RECOMMENDATION_SCHEMAS = {
  RecommendationRequest: object(
    {
      user_details: about(
        object(
          {},
          {
            email: TEXT,
            email_hash: { ...TEXT, pattern: '^[0-9a-fA-F]{64}$' },
            phone: TEXT,
            external_guid: TEXT,
            first_name: TEXT,
            last_name: TEXT,
          },
        ),
        'Exactly one of email, email_hash, phone and external_guid. email_hash is the hex SHA-256 of the email address, trimmed and in lower case.',
      ),
      placement_details: object(
        { view: oneOfTexts(VIEWS), display_mode: oneOfTexts(DISPLAY_MODES) },
        { widget_id: TEXT, sub_view: TEXT },
      ),
    },
    {
      order_details: object({}, { order_id: TEXT, cost_details: cost }),
      purchases: list(
        object({}, { product_id: TEXT, name: TEXT, quantity: { type: ['string', 'number'] }, cost_details: cost }),
      ),
      attributes: object(
        {},
        {
          device_type: oneOfTexts(['MOBILE', 'TABLET', 'DESKTOP']),
          operating_system: TEXT,
          user_agent: TEXT,
          language: about(TEXT, 'ISO 639.'),
          ip_address: TEXT,
          platform_type: TEXT,
        },
      ),
      custom_metadata: object(
        {},
        { is_sandbox: about(BOOLEAN, 'A test: its session never produces conversions or money.') },
      ),
    },
  ),
  RecommendationResponse: object(
    {
      session_id: UUID,
      recommendations: about(map(ref('Recommendation')), 'By offer_id, in the order of the groups.'),
      recommendation_groups: list(ref('RecommendationGroup')),
      footer: ref('Footer'),
    },
    { sandbox: TRUE },
  ),
  Recommendation: object({
    advertiser: object({ id: TEXT, name: TEXT, logo_url: URL_TEXT }, { description: TEXT }),
    offer: ref('Offer'),
  }),
  Offer: object(
    {
      id: TEXT,
      heading: TEXT,
      target_url: URL_TEXT,
      cta_details: object(
        { accept_copy: TEXT, decline_copy: TEXT },
        { transition_copy: TEXT, claimed_accept_copy: TEXT, claimed_decline_copy: TEXT },
      ),
    },
    {
      subheading: TEXT,
      metadata: object({ type: oneOfTexts(['PROMO_CODE', 'NO_PROMO_CODE']) }, { code: TEXT, layout_type: TEXT }),
      assets: list(
        object(
          {
            id: TEXT,
            asset_type: oneOfTexts(['PRODUCT', 'IMAGE']),
            image_url: URL_TEXT,
            insertion_order: INTEGER,
            should_trigger_claim_flow: BOOLEAN,
          },
          { target_url: URL_TEXT },
        ),
      ),
      disclosure_details: object({ copy: TEXT }, { target_url: URL_TEXT, content: TEXT }),
      is_sandbox: about(TRUE, 'On the offers of a test session.'),
    },
  ),
  RecommendationGroup: object(
    {
      id: TEXT,
      items: list(object({ insertion_order: INTEGER, insertion_id: TEXT, offer_id: TEXT, advertiser_id: TEXT })),
    },
    { heading: TEXT, slot_context: oneOfTexts(['HERO', 'SCROLLABLE']) },
  ),
  Footer: object(
    {},
    {
      attribution_details: object({ copy: TEXT }, { logo_url: URL_TEXT, target_url: URL_TEXT }),
      privacy_policy: object({ copy: TEXT }, { target_url: URL_TEXT }),
    },
  ),
  Message: object(
    { message: TEXT },
    { errors: list(object({ message: TEXT }, { path: about(TEXT, 'The field of the body.') })) },
  ),
} satisfies Schemas;

/** POST /recommendations. */
export const RECOMMENDATION_CONTRACT = endpoints('Recommendations', {
  '/recommendations': {
    post: {
      summary: 'Request offers',
      description: 'Every call opens a session. Its events name its session_id and the insertion_ids of the offers.',
      parameters: [VERSION_HEADER],
      body: ref('RecommendationRequest'),
      responses: {
        200: ['The offers; an empty map when there are none.', ref('RecommendationResponse')],
        ...REFUSALS,
      },
    },
  },
});

/** The schemas of events and their responses. */
export const EVENT_SCHEMAS = {
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
        object({ conversion_id: TEXT }, { order_id: TEXT, amount: AMOUNT, currency_code: TEXT }),
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
} satisfies Schemas;

/** POST /events and POST /events/batch. */
export const EVENT_CONTRACT = endpoints('Recommendations', {
  '/events': {
    post: {
      summary: 'Report one event',
      parameters: [VERSION_HEADER],
      body: ref('Event'),
      responses: { 201: ['Stored.'], ...REFUSALS },
    },
  },
  '/events/batch': {
    post: {
      summary: `Report 1 to ${BATCH_MAX_EVENTS} events`,
      description:
        'Events with a success are stored. Send only the failures again, and only those whose error is retryable.',
      parameters: [VERSION_HEADER],
      body: object({ events: list(ref('Event'), { minItems: 1, maxItems: BATCH_MAX_EVENTS }) }),
      responses: {
        202: ['All accepted.', ref('BatchResponse')],
        207: ['Some accepted.', ref('BatchResponse')],
        502: ['None accepted.', ref('BatchResponse')],
        ...REFUSALS,
      },
    },
  },
});
