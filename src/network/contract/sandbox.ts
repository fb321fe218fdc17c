import { operation, inPath, query } from './operation.ts';
import {
  about,
  BOOLEAN,
  DATETIME,
  INTEGER,
  list,
  map,
  NUMBER,
  object,
  oneOfTexts,
  orNull,
  ref,
  TEXT,
  UUID,
} from './schema.ts';
import type { Part, Schema } from './schema.ts';

const anything: Schema = { type: 'object', additionalProperties: true };
const id = (what: string): Part => inPath('id', `The id of ${what}.`);

function control(
  summary: string,
  rest: { body?: Schema; parameters?: readonly Part[]; description?: string; type?: string } = {},
): Part {
  const { type, ...call } = rest;
  return operation({
    tag: 'Sandbox controls',
    summary,
    open: true,
    ...call,
    ...(type ? { type } : {}),
    responses: {
      200: ['Done.', type ? TEXT : anything],
      201: ['Made.', anything],
      204: ['Done.'],
      400: ['The body is not as it should be; nothing changed.', ref('Message')],
      404: ['There is no such thing.', ref('Message')],
    },
  });
}

const offer = object(
  {
    advertiser: object({ name: TEXT, logo_url: TEXT }, { id: TEXT, description: TEXT }),
    subcategory_id: UUID,
    heading: TEXT,
    target_url: TEXT,
    cta_details: anything,
    price_per_conversion: { type: ['number', 'string'] },
  },
  {
    subheading: TEXT,
    budget: { type: ['number', 'string', 'null'] },
    weight: NUMBER,
    metadata: anything,
    assets: list(anything),
    disclosure_details: anything,
    active: BOOLEAN,
  },
);
const kinds = oneOfTexts(['management', 'publishable', 'publisher_reporting', 'integration', 'partner_wide']);
const environment = oneOfTexts(['staging', 'production']);

/** The control surface of a staging network. */
export const SANDBOX_CONTRACT: Readonly<Record<string, Part>> = {
  '/sandbox/clock': {
    post: control('Set the clock, which then stands still; null frees it', { body: object({ now: orNull(DATETIME) }) }),
  },
  '/sandbox/reset': { post: control('Start over', { body: object({}, { seed: oneOfTexts(['demo', 'empty']) }) }) },
  '/sandbox/channels': {
    post: control('Another channel with a publisher and keys', { body: object({ name: TEXT }, { environment }) }),
  },
  '/sandbox/keys': {
    post: control('Issue a key', {
      body: object({ kind: kinds }, { publisher_remote_id: UUID, expires_at: orNull(DATETIME), environment }),
    }),
  },
  '/sandbox/keys/{id}': { delete: control('Revoke a key', { parameters: [id('the key')] }) },
  '/sandbox/keys/{id}/rotate': {
    post: control('Replace a key; the old one stops at once', { parameters: [id('the key')] }),
  },
  '/sandbox/publishers/{id}/status': {
    post: control('Do what the network’s staff would do; approval responses with keys', {
      parameters: [id('the publisher or request')],
      body: object({ status: oneOfTexts(['PENDING', 'NEEDS_INFO', 'APPROVED', 'REJECTED']) }, { staff_notes: TEXT }),
    }),
  },
  '/sandbox/publishers/{id}/external-exclusions': {
    put: control('Set what the publisher itself excludes', {
      parameters: [id('the publisher')],
      body: object({ subcategory_ids: list(UUID) }),
    }),
  },
  '/sandbox/offers': { post: control('Add an offer', { body: offer }) },
  '/sandbox/offers/{id}': {
    put: control('Replace an offer', { parameters: [id('the offer')], body: offer }),
    delete: control('Take an offer out', { parameters: [id('the offer')] }),
  },
  '/sandbox/activity': {
    post: control('Add to the hourly facts', {
      body: object({
        rows: list({
          ...object(
            { hour: DATETIME, publisher_remote_id: UUID, page_type: TEXT, widget_type: TEXT },
            { widget_id: orNull(TEXT) },
          ),
          additionalProperties: { type: ['number', 'string'] },
          description: 'And the measured metrics.',
        }),
      }),
    }),
  },
  '/sandbox/settings': {
    put: control('Turn the knobs of the reporting side; null restores one', {
      body: object(
        {},
        {
          enabled_metrics: orNull(list(TEXT)),
          history_from: orNull({ type: 'string', format: 'date' }),
          hourly_dates: orNull(INTEGER),
          report_row_limit: orNull(INTEGER),
          source_row_limit: orNull(INTEGER),
          data_through: orNull(DATETIME),
          shares: orNull(map(NUMBER)),
        },
      ),
    }),
  },
  '/sandbox/faults': {
    post: control('Script a failure of a route', {
      body: object(
        { route: about(TEXT, 'A path, such as /events/batch.') },
        {
          status: INTEGER,
          body: {},
          headers: map(TEXT),
          delay_ms: INTEGER,
          fail_indexes: list(INTEGER),
          retryable: BOOLEAN,
          drop_connection: BOOLEAN,
          after_commit: BOOLEAN,
          times: about(orNull(INTEGER), 'How often; once unless given, always when null.'),
        },
      ),
    }),
    delete: control('Forget every scripted failure'),
  },
  '/sandbox/events': {
    get: control('What arrived, newest last', {
      parameters: [query('session_id', UUID, 'Of this session only.'), query('event_name', TEXT, 'Of this kind only.')],
    }),
  },
  '/sandbox/explain': {
    get: control('Why each offer was or was not shown', { parameters: [query('session_id', UUID, 'The session.')] }),
  },
  '/sandbox/health': { get: control('Database, version, counts') },
  '/sandbox/metrics': { get: control('Counters as Prometheus text', { type: 'text/plain' }) },
};
