import * as v from 'valibot';
import { isObject, type Problem } from '../../wire/json.ts';
import type { NetworkContext, NetworkRoute } from '../context.ts';
import type { RouteParams } from '../http/route.ts';
import { refuseForeign } from '../../guard/refuseForeign.ts';
import { readJson } from '../http/readJson.ts';
import { partnerRefusal } from '../partner/partnerRefusal.ts';
import { findUnstorableText } from './findUnstorableText.ts';

/** Bytes of a control's body: a year of hourly activity fits. */
const BODY_MAX_BYTES = 32 * 1024 * 1024;

/** What a control gets: the context, the path's values and its checked body. */
export interface ControlCall<Body> {
  readonly request: Request;
  readonly context: NetworkContext;
  readonly params: RouteParams;
  readonly body: Body;
}

/** One control of the sandbox: a value is answered as JSON, `undefined` as 204, a refusal as it is. */
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
    const broken = refuseBrokenText(read.json);
    if (broken) return broken;
    const checked = v.safeParse(options.body, read.json);
    if (!checked.success) return refuseBody(checked.issues);
    return options.run({ request, context, params, body: checked.output });
  });
}

/** One control that takes no body. */
export function plainControl(options: {
  readonly method: 'GET' | 'DELETE';
  readonly pattern: string;
  run(call: ControlCall<undefined>): Promise<unknown>;
}): NetworkRoute {
  return guarded(options.method, options.pattern, (request, context, params) =>
    options.run({ request, context, params, body: undefined }),
  );
}

/** A 400 that says which fields of a control are wrong. */
export function refuseFields(problems: readonly Problem[]): Response {
  return partnerRefusal(400, 'What this control was given is not valid.', problems);
}

/** A 404 that names what was not found. */
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
      const answer =
        refuseForeign(request, { ip: context.ip, hosts: context.controls?.hosts }) ??
        refuseBrokenText(Object.fromEntries(new URL(request.url).searchParams)) ??
        (await run(request, context, params));
      if (answer instanceof Response) return answer;
      return answer === undefined ? new Response(null, { status: 204 }) : Response.json(answer);
    },
  };
}

function refuseBrokenText(given: unknown): Response | undefined {
  const path = findUnstorableText(given);
  const message = 'must be text without U+0000 and without half characters';
  return path === undefined ? undefined : refuseFields([{ path, message }]);
}

function refuseBody(issues: readonly v.BaseIssue<unknown>[]): Response {
  return refuseFields(
    issues.slice(0, 20).map((issue) => ({ path: v.getDotPath(issue) ?? '', message: issue.message })),
  );
}
