import type { Part, Schema } from './schema.ts';
import { ref } from './schema.ts';

/** What one answer means, and its body's schema: none for an empty body. */
export type ResponsePart = readonly [description: string, schema?: Schema];

/** One endpoint, as briefly as it can be said. */
export interface Endpoint {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Part[];
  readonly body?: Schema;
  readonly responses: Readonly<Record<number, ResponsePart>>;
  /** Media type of the responses' bodies; JSON unless given. */
  readonly type?: string;
  /** Whether it is answered without a key. */
  readonly open?: boolean;
}

/** The endpoint as OpenAPI writes it. */
export function operation({
  tag,
  summary,
  description,
  parameters,
  body,
  responses,
  type = 'application/json',
  open,
}: Endpoint): Part {
  return {
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    ...(open ? { security: [] } : {}),
    ...(parameters ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, [meaning, schema]]) => [
        status,
        {
          description: meaning,
          ...(schema ? { content: { [Number(status) < 400 ? type : 'application/json']: { schema } } } : {}),
        },
      ]),
    ),
  };
}

/** A parameter of the query. */
export function query(name: string, schema: Schema, description: string): Part {
  return { name, in: 'query', required: false, schema, description };
}

/** A value in the path. */
export function inPath(name: string, description: string): Part {
  return { name, in: 'path', required: true, schema: { type: 'string' }, description };
}

/** The responses that every endpoint of the Channel API has. */
export const CHANNEL_REFUSALS: Readonly<Record<number, ResponsePart>> = {
  401: ['The key is missing, invalid, expired, revoked or of the other environment.', ref('Detail')],
  405: ['Another method is needed; Allow names it.', ref('Detail')],
  500: ['Something went wrong inside.', ref('Detail')],
  503: ['The network cannot reach its data. Try again after Retry-After seconds.', ref('Detail')],
};

/** The responses that every endpoint of the Recommendations API has. */
export const PARTNER_REFUSALS: Readonly<Record<number, ResponsePart>> = {
  400: ['The body or the version header is not as it should be. Nothing was stored.', ref('Message')],
  401: ['The key is missing, invalid, expired, revoked or of the other environment.', ref('Message')],
  405: ['Another method is needed; Allow names it.', ref('Message')],
  413: ['The body is too large.', ref('Message')],
  415: ['Content-Type is not application/json.', ref('Message')],
  429: ['Too many calls. Nothing was stored; try again after Retry-After seconds.', ref('Message')],
  500: ['Something went wrong inside.', ref('Message')],
  503: ['The network cannot reach its data. Try again after Retry-After seconds.', ref('Message')],
};
