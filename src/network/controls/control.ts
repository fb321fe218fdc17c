import * as v from 'valibot';
import { isObject, type Problem, parseDatetime, readUuid } from '../../wire/json.ts';
import { type NetworkContext, type NetworkRoute, partnerRefusal, readJson, type RouteParams } from '../context.ts';
import { type Part, type ResponsePart, operation, pathParameter, ref, schemaFrom } from '../contract/operation.ts';
import { refuseForeign } from '../../http/refuseForeign.ts';
import { ProductionDataError } from '../storedKeys.ts';
import { URL_MAX_LENGTH } from '../../wire/limits.ts';

/** Maximum bytes of a control's body: enough for a year of hourly activity. */
const BODY_MAX_BYTES = 32 * 1024 * 1024;

/** What a control gets: the context, the path's values and its valid body. */
interface ControlCall<Body> {
  readonly request: Request;
  readonly context: NetworkContext;
  readonly params: RouteParams;
  readonly body: Body;
}

/** A control and its part of the contract. */
export interface ControlRoute extends NetworkRoute {
  readonly operation: Part;
}

/** What the contract says of a control besides its body. */
interface ControlSummary {
  readonly pattern: string;
  readonly summary: string;
  /** What the `{id}` of the pattern identifies. */
  readonly id?: string;
  readonly query?: readonly Part[];
}

/** Returns a sandbox control. It responds with the value as JSON, with 204 for `undefined`, or with the Response that it returns. */
export function control<Body extends v.GenericSchema>(
  options: ControlSummary & {
    readonly method: 'POST' | 'PUT';
    readonly body: Body;
    run(call: ControlCall<v.InferOutput<Body>>): Promise<unknown>;
  },
): ControlRoute {
  return guarded({ ...options, schema: schemaFrom(options.body, 'input') }, async (request, context, params) => {
    const read = await readJson(request, BODY_MAX_BYTES);
    if (!read.ok) return partnerRefusal(read.status, read.message);
    if (!isObject(read.json)) return partnerRefusal(400, 'The body must be a JSON object.');
    const unstorable = refuseUnstorableText(read.json);
    if (unstorable) return unstorable;
    const checked = v.safeParse(options.body, read.json);
    if (!checked.success) return refuseBody(checked.issues);
    return options.run({ request, context, params, body: checked.output });
  });
}

/** Returns a control without a body. */
export function plainControl(
  options: ControlSummary & {
    readonly method: 'GET' | 'POST' | 'DELETE';
    run(call: ControlCall<undefined>): Promise<unknown>;
  },
): ControlRoute {
  return guarded(options, (request, context, params) => options.run({ request, context, params, body: undefined }));
}

/** A 400 that names the invalid fields. */
export function refuseFields(problems: readonly Problem[]): Response {
  return partnerRefusal(400, 'The request is not valid.', problems);
}

/** A 404 that says what was not found. */
export function notFound(what: string): Response {
  return partnerRefusal(404, `There is no such ${what}.`);
}

function guarded(
  {
    method,
    pattern,
    summary,
    id,
    query = [],
    schema,
  }: ControlSummary & { readonly method: string; readonly schema?: Part },
  run: (request: Request, context: NetworkContext, params: RouteParams) => Promise<unknown>,
): ControlRoute {
  const parameters = [...(id === undefined ? [] : [pathParameter('id', `The id of ${id}.`)]), ...query];
  return {
    methods: [method],
    pattern,
    surface: 'sandbox',
    operation: operation({
      tag: 'Sandbox controls',
      summary,
      open: true,
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(schema === undefined ? {} : { body: schema }),
      responses: {
        200: ['Done.', { type: 'object', additionalProperties: true }],
        ...CONTROL_RESPONSES,
      },
    }),
    async handler(request, context, params) {
      const result =
        refuseForeign(request, { ip: context.ip, hosts: context.controls?.hosts }) ??
        refuseUnstorableText(Object.fromEntries(new URL(request.url).searchParams)) ??
        (await run(request, context, params).catch(refuseConflict));
      if (result instanceof Response) return result;
      return result === undefined ? new Response(null, { status: 204 }) : Response.json(result);
    },
  };
}

const CONTROL_RESPONSES: Readonly<Record<number, ResponsePart>> = {
  204: ['Done.'],
  400: ['The request is not valid; nothing changed.', ref('Message')],
  403: ['The caller is not on this machine, or is a page of another origin.', ref('Message')],
  404: ['The id is unknown.', ref('Message')],
  409: ['A production network shares the database; nothing changed.', ref('Message')],
};

function refuseConflict(error: unknown): Response {
  if (error instanceof ProductionDataError) return partnerRefusal(409, error.message);
  throw error;
}

function refuseUnstorableText(given: unknown): Response | undefined {
  const path = findUnstorableText(given);
  const message = 'must not contain U+0000 or lone surrogates';
  return path === undefined ? undefined : refuseFields([{ path, message }]);
}

/** A 400 that names the invalid fields of a body. */
export function refuseBody(issues: readonly v.BaseIssue<unknown>[]): Response {
  return refuseFields(
    issues.slice(0, 20).map((issue) => ({ path: v.getDotPath(issue) ?? '', message: issue.message })),
  );
}

/** The years that controls accept. History before and a day after them must still have years of four digits. */
const YEAR = { first: 1970, last: 9_000 };
const IN_THESE_YEARS = `in the years ${YEAR.first} to ${YEAR.last}`;

/** An ISO 8601 time with its zone. */
export const timeField = v.pipe(
  v.string(),
  v.check(isTime, `must be an ISO time ${IN_THESE_YEARS}, such as 2025-11-20T10:30:00Z`),
  v.metadata({ format: 'date-time' }),
  v.transform((text) => new Date(parseDatetime(text) ?? 0)),
);

/** A UTC date. */
export const dateField = v.pipe(
  v.string(),
  v.check(
    (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isTime(`${text}T00:00:00Z`),
    `must be a date ${IN_THESE_YEARS}, such as 2025-11-20`,
  ),
  v.metadata({ format: 'date' }),
);

/** A UUID, which becomes lower case. */
export const uuidField = v.pipe(
  v.string(),
  v.check((text) => readUuid(text) !== undefined, 'must be a UUID'),
  v.metadata({ format: 'uuid' }),
  v.toLowerCase(),
);

/** A decimal number of 0 or more, as exact text. A number becomes its shortest decimal form. */
export const moneyField = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform((value) => (typeof value === 'number' && /e-/.test(String(value)) ? value.toFixed(12) : String(value))),
  v.check((text) => /^\d{1,15}(\.\d{1,12})?$/.test(text), 'must be a decimal number of 0 or more, such as 1.25'),
);

/** A whole number of 0 or more. */
export const countField = v.pipe(
  v.number(),
  v.safeInteger('must be a whole number'),
  v.minValue(0, 'must be 0 or more'),
);

/** Text that is not blank. */
export const textField = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty('must not be blank'),
  v.maxLength(2_000, 'must be 2000 characters or fewer'),
);

/** An http or https URL, or a path on the network itself. */
export const urlField = v.pipe(
  v.string(),
  v.maxLength(URL_MAX_LENGTH, `must be ${URL_MAX_LENGTH} characters or fewer`),
  v.check(isUrl, 'must be an http or https URL'),
);

function isTime(text: string): boolean {
  const year = new Date(parseDatetime(text) ?? Number.NaN).getUTCFullYear();
  return year >= YEAR.first && year <= YEAR.last;
}

function isUrl(text: string): boolean {
  if (/^\/(?!\/)[\x21-\x7e]*$/.test(text)) return true;
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/**
 * Returns the path of the first string or name in a JSON value that PostgreSQL cannot store: one with U+0000 or a lone
 * surrogate. `undefined` if all can be stored.
 */
function findUnstorableText(value: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isUnstorable(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, child] of Object.entries(value)) {
    const place = path === '' ? name : `${path}.${name}`;
    const found = isUnstorable(name) ? path : findUnstorableText(child, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isUnstorable(text: string): boolean {
  return /\0|\p{Cs}/u.test(text);
}
