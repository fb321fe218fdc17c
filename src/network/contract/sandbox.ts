import {
  operation,
  pathParameter,
  queryParameter,
  BOOLEAN,
  DATETIME,
  INTEGER,
  NUMBER,
  type Part,
  type Schema,
  TEXT,
  UUID,
  about,
  list,
  map,
  object,
  oneOfTexts,
  orNull,
  ref,
} from './operation.ts';

const anything: Schema = { type: 'object', additionalProperties: true };
const id = (what: string): Part => pathParameter('id', `The id of ${what}.`);

function controlOperation(
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
      204: ['Done.'],
      400: ['The request is not valid; nothing changed.', ref('Message')],
      403: ['The caller is not on this machine, or is a page of another origin.', ref('Message')],
      404: ['The id is unknown.', ref('Message')],
      409: ['A production network shares the database; nothing changed.', ref('Message')],
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
    post: controlOperation('Stop the clock at a time; null starts it again', {
      body: object({ now: orNull(DATETIME) }),
    }),
  },
  '/sandbox/reset': {
    post: controlOperation('Start over', { body: object({}, { seed: oneOfTexts(['demo', 'empty']) }) }),
  },
  '/sandbox/channels': {
    post: controlOperation('Create another channel with a publisher and keys', {
      body: object({ name: TEXT }, { environment }),
    }),
  },
  '/sandbox/keys': {
    post: controlOperation('Issue a key', {
      body: object({ kind: kinds }, { publisher_remote_id: UUID, expires_at: orNull(DATETIME), environment }),
    }),
  },
  '/sandbox/keys/{id}': { delete: controlOperation('Revoke a key', { parameters: [id('the key')] }) },
  '/sandbox/keys/{id}/rotate': {
    post: controlOperation('Replace a key; the old one is revoked at once', { parameters: [id('the key')] }),
  },
  '/sandbox/publishers/{id}/status': {
    post: controlOperation('Change the status as the network’s staff would; approval returns keys', {
      parameters: [id('the publisher or request')],
      body: object({ status: oneOfTexts(['PENDING', 'NEEDS_INFO', 'APPROVED', 'REJECTED']) }, { staff_notes: TEXT }),
    }),
  },
  '/sandbox/publishers/{id}/external-exclusions': {
    put: controlOperation('Set the publisher’s own exclusions', {
      parameters: [id('the publisher')],
      body: object({ subcategory_ids: list(UUID) }),
    }),
  },
  '/sandbox/offers': { post: controlOperation('Add an offer', { body: offer }) },
  '/sandbox/offers/{id}': {
    put: controlOperation('Replace an offer', { parameters: [id('the offer')], body: offer }),
    delete: controlOperation('Delete an offer', { parameters: [id('the offer')] }),
  },
  '/sandbox/activity': {
    post: controlOperation('Add to the hourly facts', {
      body: object({
        rows: list({
          ...object(
            { hour: DATETIME, publisher_remote_id: UUID, page_type: TEXT, widget_type: TEXT },
            { widget_id: orNull(TEXT) },
          ),
          additionalProperties: { type: ['number', 'string'] },
          description: 'Also the measured metrics.',
        }),
      }),
    }),
  },
  '/sandbox/settings': {
    put: controlOperation('Change settings of the reports; null restores a default', {
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
    post: controlOperation('Script a failure of a route', {
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
          times: about(orNull(INTEGER), 'How many requests it affects: 1 by default, null for all.'),
        },
      ),
    }),
    delete: controlOperation('Delete all scripted failures'),
  },
  '/sandbox/events': {
    get: controlOperation('The events that arrived, newest last', {
      parameters: [
        queryParameter('session_id', UUID, 'Events of this session only.'),
        queryParameter('event_name', TEXT, 'Events with this name only.'),
      ],
    }),
  },
  '/sandbox/explain': {
    get: controlOperation('Why each offer was shown or not', {
      parameters: [queryParameter('session_id', UUID, 'The session.')],
    }),
  },
  '/sandbox/health': { get: controlOperation('Database, version, counts') },
  '/sandbox/metrics': { get: controlOperation('Counters in Prometheus’ text format', { type: 'text/plain' }) },
};
