import { CHANNEL_PATHS, PUBLISHER_STATUSES } from '../../wire/channel.ts';
import { ADD_MAX_ITEMS } from '../../wire/limits.ts';
import { publisherItem } from '../channel/addPublishers.ts';
import { LIST_QUERY } from '../channel/publishers.ts';
import { exclusionsBody } from '../channel/routes.ts';
import {
  type ResponsePart,
  endpoints,
  pathParameter,
  queryParameters,
  DATETIME,
  INTEGER,
  type Schemas,
  TEXT,
  TRUE,
  URL_TEXT,
  UUID,
  about,
  either,
  list,
  map,
  object,
  oneOfTexts,
  only,
  orNull,
  ref,
  refusals,
  schemaFrom,
} from './operation.ts';

const exclusions = object({ subcategories: object({ external: list(UUID), publisher: list(UUID) }) });
const publisher = {
  pending_publisher_id: about(orNull(UUID), 'The id of the request; for an approved publisher only in its details.'),
  publisher_remote_id: about(orNull(UUID), 'Ad-serving id; null while pending.'),
  brand_name: TEXT,
  primary_category: about(TEXT, 'The name of a category.'),
  status: oneOfTexts(PUBLISHER_STATUSES),
  created_at: DATETIME,
  exclusions: about(
    exclusions,
    '`external` is set by the publisher and read-only for the channel; `publisher` is set by the channel.',
  ),
};

const invalid: ResponsePart = ['Messages by field.', ref('Fields')];
const readOnly: ResponsePart = ['The key is publishable, so it can only read.', ref('Detail')];
const unknown: ResponsePart = ['The channel has no such publisher.', ref('NotFound')];
const tooLarge: ResponsePart = ['The body is larger than 1 MiB.', ref('Detail')];
const done: ResponsePart = ['Replaced.', object({ ok: TRUE })];
const remoteId = pathParameter('publisher_remote_id', 'The remote id of an approved publisher.');

const REFUSALS = refusals(ref('Detail'));

/** The schemas of the Channel API. */
export const CHANNEL_SCHEMAS = {
  Subcategory: object({ remote_id: UUID, name: TEXT }),
  Category: object({ remote_id: UUID, name: TEXT, subcategories: list(ref('Subcategory')) }),
  Publisher: object(publisher),
  PublisherDetail: object({
    ...publisher,
    api_key: about(orNull(TEXT), 'The publisher’s publishable key; null while pending.'),
  }),
  PublisherItem: schemaFrom(publisherItem([])),
  CreateRequest: object({
    pending_publisher_id: UUID,
    status: oneOfTexts(PUBLISHER_STATUSES),
    brand_name: TEXT,
    domain: TEXT,
    primary_category: ref('Subcategory'),
    subcategory_ids: list(UUID),
    staff_notes: TEXT,
    created_at: DATETIME,
    updated_at: DATETIME,
  }),
  AddResult: either(
    object({ brand_name: TEXT, domain: TEXT, status: only('created'), create_request: ref('CreateRequest') }),
    object({ brand_name: TEXT, domain: TEXT, status: only('duplicate'), error: TEXT }),
  ),
  Fields: about(map(list(TEXT)), 'Messages by field; `non_field_errors` for the body as a whole.'),
  Detail: object({ detail: TEXT }),
  NotFound: object({ error: TEXT }),
} satisfies Schemas;

/** The endpoints of the Channel API. */
export const CHANNEL_CONTRACT = endpoints('Channel', {
  [CHANNEL_PATHS.categories]: {
    get: {
      summary: 'Categories with their subcategories',
      responses: { 200: ['Sorted by name.', object({ categories: list(ref('Category')) })], ...REFUSALS },
    },
  },
  [CHANNEL_PATHS.channelDetails]: {
    get: {
      summary: 'The channel and its exclusions',
      responses: {
        200: [
          'The channel that owns the key.',
          object({
            channel: object({ name: TEXT, exclusions: object({ subcategories: object({ channel: list(UUID) }) }) }),
          }),
        ],
        ...REFUSALS,
      },
    },
  },
  [CHANNEL_PATHS.channelExclusions]: {
    put: {
      summary: 'Replace the exclusions of the whole channel',
      body: schemaFrom(exclusionsBody([])),
      responses: { 200: done, 400: invalid, ...REFUSALS, 403: readOnly, 413: tooLarge },
    },
  },
  [CHANNEL_PATHS.publishers]: {
    get: {
      summary: 'Publishers and requests, newest first',
      parameters: queryParameters(LIST_QUERY),
      responses: {
        200: [
          'One page.',
          object({
            count: INTEGER,
            next: orNull(URL_TEXT),
            previous: orNull(URL_TEXT),
            publishers: list(ref('Publisher')),
          }),
        ],
        400: invalid,
        ...REFUSALS,
      },
    },
  },
  '/adnet/publishers/details/{id}/': {
    get: {
      summary: 'One publisher or request',
      parameters: [pathParameter('id', 'A remote id, or the id of a request.')],
      responses: {
        200: ['The publisher.', object({ publisher: ref('PublisherDetail') })],
        404: unknown,
        ...REFUSALS,
      },
    },
  },
  '/adnet/publishers/{publisher_remote_id}/exclusions/': {
    put: {
      summary: 'Replace what the channel excludes for one publisher',
      description:
        'Applies from the next recommendations on, together with the lists of the channel and the publisher.',
      parameters: [remoteId],
      body: schemaFrom(exclusionsBody([])),
      responses: { 200: done, 400: invalid, ...REFUSALS, 403: readOnly, 404: unknown, 413: tooLarge },
    },
  },
  [CHANNEL_PATHS.add]: {
    post: {
      summary: `Request 1 to ${ADD_MAX_ITEMS} publishers`,
      description:
        'One invalid item refuses the whole call. A brand and domain that the channel already has is a duplicate in the results.',
      body: object({ items: list(ref('PublisherItem'), { minItems: 1, maxItems: ADD_MAX_ITEMS }) }),
      responses: {
        201: ['One result per item, in the same order.', object({ results: list(ref('AddResult')) })],
        400: invalid,
        ...REFUSALS,
        403: readOnly,
        413: tooLarge,
      },
    },
  },
  '/adnet/publishers/{publisher_remote_id}/remove/': {
    delete: {
      summary: 'Remove an approved publisher',
      description: 'Its keys are revoked at once; its history stays in the reports.',
      parameters: [remoteId],
      responses: { 204: ['Removed.'], ...REFUSALS, 403: readOnly, 404: unknown },
    },
  },
});
