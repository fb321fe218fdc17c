import * as v from 'valibot';
import { isObject, type Problem } from '../../wire/json.ts';
import type { NetworkContext, NetworkRoute } from '../context.ts';
import type { RouteParams } from '../http/route.ts';
import { refuseForeign } from '../../http/refuseForeign.ts';
import { ProductionDataError } from '../keys/refuseProductionData.ts';
import { readJson } from '../http/readJson.ts';
import { partnerRefusal } from '../partner/partnerRefusal.ts';
import { findUnstorableText } from './findUnstorableText.ts';

/** Maximum bytes of a control's body: enough for a year of hourly activity. */
const BODY_MAX_BYTES = 32 * 1024 * 1024;

/** What a control gets: the context, the path's values and its valid body. */
export interface ControlCall<Body> {
  readonly request: Request;
  readonly context: NetworkContext;
  readonly params: RouteParams;
  readonly body: Body;
}

/** Returns a sandbox control. It responds with the value as JSON, with 204 for `undefined`, or with the Response that it returns. */
export function control<Schema extends v.GenericSchema>(options: {
  readonly method: 'POST' | 'PUT';
  readonly pattern: string;
  readonly body: Schema;
  run(call: ControlCall<v.InferOutput<Schema>>): Promise<unknown>;
}): NetworkRoute {
  return guarded(options.method, options.pattern, async (request, context, params) => {
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
export function plainControl(options: {
  readonly method: 'GET' | 'DELETE';
  readonly pattern: string;
  run(call: ControlCall<undefined>): Promise<unknown>;
}): NetworkRoute {
  return guarded(options.method, options.pattern, (request, context, params) =>
    options.run({ request, context, params, body: undefined }),
  );
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
  method: string,
  pattern: string,
  run: (request: Request, context: NetworkContext, params: RouteParams) => Promise<unknown>,
): NetworkRoute {
  return {
    methods: [method],
    pattern,
    surface: 'sandbox',
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

function refuseConflict(error: unknown): Response {
  if (error instanceof ProductionDataError) return partnerRefusal(409, error.message);
  throw error;
}

function refuseUnstorableText(given: unknown): Response | undefined {
  const path = findUnstorableText(given);
  const message = 'must not contain U+0000 or lone surrogates';
  return path === undefined ? undefined : refuseFields([{ path, message }]);
}

function refuseBody(issues: readonly v.BaseIssue<unknown>[]): Response {
  return refuseFields(
    issues.slice(0, 20).map((issue) => ({ path: v.getDotPath(issue) ?? '', message: issue.message })),
  );
}
