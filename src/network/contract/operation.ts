import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import EXAMPLES from './examples.json' with { type: 'json' };
import type * as channel from '../../wire/channel.ts';
import type * as events from '../../wire/events.ts';
import type * as offers from '../../wire/offers/response.ts';
import type { Report } from '../../wire/reporting.ts';

/** A JSON Schema (2020-12), as in OpenAPI 3.1, of values of this type: what a field may be is compared when this is compiled. */
export type Schema<Value> = Part & { readonly $type?: (value: Value) => Value };

/** Any other part of the contract. */
export type Part = Readonly<Record<string, unknown>>;

type ValueOf<Of> = Of extends Schema<infer Value> ? Value : unknown;

/** A type of the wire as schemas describe it: each field is there, and an optional one may be undefined. */
type Whole<Type> = Type extends readonly (infer Item)[]
  ? readonly Whole<Item>[]
  : Type extends object
    ? {
        [Key in keyof Type]-?: string extends Key
          ? Whole<Type[Key]>
          : Pick<Type, Key> extends Required<Pick<Type, Key>>
            ? Whole<Type[Key]>
            : Whole<Exclude<Type[Key], undefined>> | undefined;
      }
    : Type;

/** An intersection as one object. */
type Merged<Type> = { [Key in keyof Type]: Type[Key] };

/**
 * The named schemas, and what each must describe, field by field: the type of the wire, and what a network sends beyond what
 * readers need. Of a union with the same fields, `Pick` makes one object.
 */
interface Named {
  RecommendationRequest: unknown;
  RecommendationResponse: offers.RecommendationResponse & { recommendations: Record<string, SentRecommendation> };
  Recommendation: SentRecommendation;
  Offer: SentOffer;
  RecommendationGroup: offers.RecommendationGroup;
  Footer: offers.Footer;
  Message: { message: string; errors?: readonly { message: string; path?: string }[] };
  Event: events.WireEvent;
  BatchResponse: events.BatchResults;
  Subcategory: channel.Subcategory;
  Category: channel.Category;
  Publisher: Pick<channel.Publisher, keyof channel.Publisher>;
  PublisherDetail: Pick<channel.PublisherDetail, keyof channel.PublisherDetail>;
  PublisherItem: unknown;
  CreateRequest: channel.CreateRequest;
  AddResult: channel.AddResult;
  Fields: Readonly<Record<string, readonly string[]>>;
  Detail: { detail: string };
  NotFound: { error: string };
  Report: Report;
  ReportError: unknown;
}
type SentOffer = offers.Offer & { is_sandbox?: boolean };
type SentRecommendation = offers.Recommendation & { advertiser: { logo_url: string }; offer: SentOffer };
type NamedSchema<Name extends keyof Named> = unknown extends Named[Name] ? Part : Schema<Whole<Named[Name]>>;

/** Some of the named schemas. */
export type Schemas = { readonly [Name in keyof Named]?: NamedSchema<Name> };

export const TEXT: Schema<string> = { type: 'string' };
export const UUID: Schema<string> = { type: 'string', format: 'uuid' };
export const URL_TEXT: Schema<string> = { type: 'string', format: 'uri' };
export const DATETIME: Schema<string> = { type: 'string', format: 'date-time' };
export const INTEGER: Schema<number> = { type: 'integer', minimum: 0 };
export const NUMBER: Schema<number> = { type: 'number' };
export const BOOLEAN: Schema<boolean> = { type: 'boolean' };
export const TRUE: Schema<boolean> = { const: true };
export const AMOUNT: Schema<number | string> = { type: ['number', 'string'] };

/** An object with its required and its optional fields. */
export function object<
  Required extends Readonly<Record<string, Part>>,
  Optional extends Readonly<Record<string, Part>>,
>(
  required: Required,
  optional?: Optional,
): Schema<
  Merged<
    { [Key in keyof Required]: ValueOf<Required[Key]> } & {
      [Key in keyof Optional]: ValueOf<Optional[Key]> | undefined;
    }
  >
> {
  const names = Object.keys(required);
  return { type: 'object', ...(names.length > 0 ? { required: names } : {}), properties: { ...required, ...optional } };
}

/** An object with arbitrary keys. */
export function map<Value>(of: Schema<Value>): Schema<{ [key: string]: Value }> {
  return { type: 'object', additionalProperties: of };
}

/** A list. */
export function list<Of extends Part>(items: Of, limits: Part = {}): Schema<readonly ValueOf<Of>[]> {
  return { type: 'array', items, ...limits };
}

/** One of these strings. */
export function oneOfTexts<const Text extends string>(values: readonly Text[]): Schema<Text> {
  return { type: 'string', enum: [...values] };
}

/** This text only. */
export function only<const Text extends string>(text: Text): Schema<Text> {
  return { const: text };
}

/** What one of these describes. */
export function either<Choices extends readonly Part[]>(...choices: Choices): Schema<ValueOf<Choices[number]>> {
  return { oneOf: choices };
}

/** The schema, or null. */
export function orNull<Value>(schema: Schema<Value>): Schema<Value | null> {
  const given: Part = schema;
  const { type, enum: values } = given;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...given, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

/** The JSON Schema of a request's schema. Checks by code are left out; `v.metadata` says in the contract what they check. */
export function schemaFrom(request: v.GenericSchema, typeMode: 'input' | 'output' = 'output'): Part {
  const { $schema: _, ...schema } = toJsonSchema(request, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
    overrideSchema({ valibotSchema, jsonSchema: { anyOf, ...rest } }) {
      const [first, ...others] = (anyOf ?? []).map((choice): Part => ({ ...Object(choice) }));
      if (first === undefined) return undefined;
      if (valibotSchema.type === 'nullable') return { ...orNull(first), ...rest };
      const choices = [first, ...others];
      const isPlain = choices.every((choice) => Object.keys(choice).join() === 'type');
      return isPlain ? Object({ type: choices.flatMap((choice) => choice['type']), ...rest }) : undefined;
    },
  });
  return schema as Part;
}

/** A reference to a named schema. */
export function ref<Name extends keyof Named>(name: Name): Schema<Whole<Named[Name]>> {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema with a description. */
export function about<Value>(schema: Schema<Value>, description: string): Schema<Value> {
  return { ...schema, description };
}

/** What one response means, and the schema of its body unless that is empty. */
export type ResponsePart = readonly [description: string, schema?: Part];

/** Returns the responses that every endpoint has, with errors of this shape. */
export function refusals(error: Part): Readonly<Record<number, ResponsePart>> {
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
  readonly body?: Part;
  readonly responses: Readonly<Record<number, ResponsePart>>;
  /** Media type of the response bodies; JSON by default. */
  readonly type?: string;
  /** Whether it works without a key. */
  readonly open?: boolean;
}

/** What a rule sent and got. */
interface Example {
  readonly rule: string;
  readonly request?: unknown;
  readonly response?: unknown;
}

/** What rules of `offerlet-sandbox verify` sent and got, by operation and status: test/verify/contractExamples.ts records it. */
const RECORDED: Readonly<Record<string, Readonly<Record<string, Example>>>> = EXAMPLES;

/** Returns the endpoints of an interface as OpenAPI operations, with examples. */
export function endpoints(
  tag: string,
  paths: Readonly<Record<string, Readonly<Partial<Record<'get' | 'post' | 'put' | 'delete', Omit<Endpoint, 'tag'>>>>>>,
): Readonly<Record<string, Part>> {
  const operations = Object.entries(paths).map(([path, methods]) => {
    const parts = Object.entries(methods).map(([method, endpoint]) => {
      return [method, operation({ tag, ...endpoint }, RECORDED[`${method.toUpperCase()} ${path}`])] as const;
    });
    return [path, Object.fromEntries(parts)] as const;
  });
  return Object.fromEntries(operations);
}

/** Returns the endpoint as an OpenAPI operation. */
export function operation(
  { tag, summary, description, parameters, body, responses, type = 'application/json', open }: Endpoint,
  recorded: Readonly<Record<string, Example>> = {},
): Part {
  const sent = Object.values(recorded).filter(({ request }) => request !== undefined);
  return {
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    ...(open ? { security: [] } : {}),
    ...(parameters ? { parameters } : {}),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body, ...named(sent, 'request') } },
      },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, [meaning, schema]]) => [
        status,
        {
          description: meaning,
          ...(schema && {
            content: {
              [Number(status) < 400 ? type : 'application/json']: {
                schema,
                ...named(recorded[status] ? [recorded[status]] : [], 'response'),
              },
            },
          }),
        },
      ]),
    ),
  };
}

/** Examples by the ids of their rules. */
function named(examples: readonly Example[], part: 'request' | 'response'): Part {
  if (examples.length === 0) return {};
  return { examples: Object.fromEntries(examples.map((each) => [each.rule, { value: each[part] }])) };
}

/** A query parameter. */
export function queryParameter(name: string, schema: Part, description: string): Part {
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
