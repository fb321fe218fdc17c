import { CHANNEL_REPORT_PATH, PUBLISHER_REPORT_PATH } from '../../wire/reporting.ts';
import type { NetworkContext, NetworkRoute } from '../context.ts';
import { authenticate } from '../keys/authenticate.ts';
import { dateOf } from '../../wire/utcDates.ts';
import { parseReportRequest } from './parseReportRequest.ts';
import { enabledMetrics, makeReport } from './makeReport.ts';
import { CHANNEL_REPORT, PUBLISHER_REPORT, type Variant } from './variant.ts';

/** Publisher reporting is served under this prefix, in which `{merchant_base_url}` ends (docs/rules.md#r58). */
const PUBLISHER_PREFIX = '/api';
const V1_PATHS = ['/adnet/reporting/v1/summary/', '/adnet/reporting/v1/publishers/'];

/** Both reports of the Reporting API V2, and clear errors for similar paths. None redirects: a redirect would send the key again. */
export const reportingRoutes: readonly NetworkRoute[] = [
  reportRoute(CHANNEL_REPORT_PATH, CHANNEL_REPORT),
  reportRoute(`${PUBLISHER_PREFIX}${PUBLISHER_REPORT_PATH}`, PUBLISHER_REPORT),
  ...[CHANNEL_REPORT_PATH, `${PUBLISHER_PREFIX}${PUBLISHER_REPORT_PATH}`].map((path) =>
    notFoundRoute(withoutSlash(path), `There is nothing at this path. Add a slash at the end: ${path}`),
  ),
  ...V1_PATHS.flatMap((path) => [path, withoutSlash(path)]).map((path) =>
    notFoundRoute(path, `Reporting V1 is not available. Use V2: ${CHANNEL_REPORT_PATH}`),
  ),
];

function reportRoute(pattern: string, variant: Variant): NetworkRoute {
  return {
    pattern,
    methods: '*',
    surface: 'reporting',
    async handler(request, context) {
      if (request.method !== 'GET') {
        return respond(context, 405, { detail: `${request.method} is not allowed. Use GET.` }, { allow: 'GET' });
      }
      return report(request, context, variant);
    },
  };
}

async function report(request: Request, context: NetworkContext, variant: Variant): Promise<Response> {
  const caller = await authenticate(request, context, [
    variant.name === 'channel' ? 'management' : 'publisher_reporting',
  ]);
  if (!caller.ok) return respond(context, 401, { detail: caller.message });
  const id = variant.name === 'channel' ? caller.key.channel_id : caller.key.publisher_id;
  if (id === null) return respond(context, 401, { detail: 'This key does not belong to a publisher.' });

  const [settings, now] = await Promise.all([context.settings(), context.now()]);
  const enabled = enabledMetrics(variant, settings);
  const parsed = parseReportRequest(new URL(request.url), { variant, enabled, today: dateOf(now.getTime()) });
  if (!parsed.ok) return respond(context, 400, parsed.errors);
  const made = await makeReport(
    { db: context.db, owner: { variant, id }, settings, now, requestId: context.requestId },
    parsed.query,
  );
  return 'report' in made ? respond(context, 200, made.report) : respond(context, 400, made.refused);
}

function notFoundRoute(pattern: string, detail: string): NetworkRoute {
  return {
    pattern,
    methods: '*',
    surface: 'reporting',
    handler: async (_request, context) => respond(context, 404, { detail }),
  };
}

function respond(
  context: NetworkContext,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json(body, {
    status,
    headers: { 'x-request-id': context.requestId, 'cache-control': 'no-store', ...headers },
  });
}

function withoutSlash(path: string): string {
  return path.slice(0, -1);
}
