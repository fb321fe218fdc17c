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
  return typeof schema['type'] === 'string'
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] };
}

/** A reference to a named schema. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema with a description. */
export function about(schema: Schema, description: string): Schema {
  return { ...schema, description };
}
