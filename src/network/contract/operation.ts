import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';

/** A JSON Schema (2020-12), as in OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>;

/** Any other part of the contract. */
export type Part = Readonly<Record<string, unknown>>;

export const TEXT: Schema = { type: 'string' };
export const UUID: Schema = { type: 'string', format: 'uuid' };
export const URL_TEXT: Schema = { type: 'string', format: 'uri' };
export const DATETIME: Schema = { type: 'string', format: 'date-time' };
export const INTEGER: Schema = { type: 'integer', minimum: 0 };
export const NUMBER: Schema = { type: 'number' };
export const BOOLEAN: Schema = { type: 'boolean' };

/** An object with its required and its optional fields. */
export function object(
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema {
  const names = Object.keys(required);
  return { type: 'object', ...(names.length > 0 ? { required: names } : {}), properties: { ...required, ...optional } };
}

/** An object with arbitrary keys. */
export function map(of: Schema): Schema {
  return { type: 'object', additionalProperties: of };
}

/** A list. */
export function list(items: Schema, limits: Schema = {}): Schema {
  return { type: 'array', items, ...limits };
}

/** One of these strings. */
export function oneOfTexts(values: readonly string[]): Schema {
  return { type: 'string', enum: [...values] };
}

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

/** The JSON Schema of a request's schema. Checks by code are left out; `v.metadata` says in the contract what they check. */
export function schemaFrom(request: v.GenericSchema, typeMode: 'input' | 'output' = 'output'): Schema {
  const { $schema: _, ...schema } = toJsonSchema(request, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
    overrideSchema({ valibotSchema, jsonSchema: { anyOf, ...rest } }) {
      const [first, ...others] = (anyOf ?? []).map((choice): Schema => ({ ...Object(choice) }));
      if (first === undefined) return undefined;
      if (valibotSchema.type === 'nullable') return { ...orNull(first), ...rest };
      const choices = [first, ...others];
      const isPlain = choices.every((choice) => Object.keys(choice).join() === 'type');
      return isPlain ? Object({ type: choices.flatMap((choice) => choice['type']), ...rest }) : undefined;
    },
  });
  return schema as Schema;
}

/** A reference to a named schema. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema with a description. */
export function about(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

/** What one response means, and the schema of its body unless that is empty. */
export type ResponsePart = readonly [description: string, schema?: Schema];

/** Returns the responses that every endpoint has, with errors of this shape. */
export function refusals(error: Schema): Readonly<Record<number, ResponsePart>> {
  return {
    401: ['The key is missing, invalid, expired, revoked or of another environment.', error],
    405: ['The method is not allowed. Allow lists the methods that are.', error],
    500: ['The network failed to process the request.', error],
    503: ['The network cannot reach its database. Try again after Retry-After seconds.', error],
  };
}

/** One endpoint, in short form. */
interface Endpoint {
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Part[];
  readonly body?: Schema;
  readonly responses: Readonly<Record<number, ResponsePart>>;
  /** Media type of the response bodies; JSON by default. */
  readonly type?: string;
  /** Whether it works without a key. */
  readonly open?: boolean;
}

/** Returns the endpoint as an OpenAPI operation. */
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

/** A query parameter. */
export function queryParameter(name: string, schema: Schema, description: string): Part {
  return { name, in: 'query', required: false, schema, description };
}

/** The query parameters of a schema, whose descriptions become theirs. */
export function queryParameters(query: v.GenericSchema): readonly Part[] {
  const parameters = Object.entries(Object(schemaFrom(query)['properties'])) as [string, { description: string }][];
  return parameters.map(([name, { description, ...schema }]) => queryParameter(name, schema, description));
}

/** A path parameter. */
export function pathParameter(name: string, description: string): Part {
  return { name, in: 'path', required: true, schema: { type: 'string' }, description };
}
