import { parseJson, readUuid } from '../../wire/json.ts';
import { queryParameter, TEXT, UUID } from '../contract/operation.ts';
import { type NetworkContext, partnerRefusal } from '../context.ts';
import { SESSION_PUBLISHER_DIGITS } from '../database/schema.ts';
import { packageVersion } from '../health.ts';
import { explainChoice, type ExplainedOffer, type StoredChoice } from '../recommendations/shelves.ts';
import { type ControlRoute, notFound, plainControl } from './control.ts';

/** Maximum events in GET /sandbox/events: the newest. */
const MAX_SHOWN = 10_000;

/** The publishers whose session it may be: as its id says, so that no index is needed for it. */
const PUBLISHERS_OF_SESSION = `SELECT publisher_remote_id FROM publishers WHERE right(publisher_remote_id::text, ${SESSION_PUBLISHER_DIGITS}) = right($1, ${SESSION_PUBLISHER_DIGITS})`;

interface ArrivalRow {
  readonly body: string;
  readonly status: string;
  readonly reason: string | null;
  readonly received_at: Date;
}

/** GET /sandbox/events, /sandbox/explain and /sandbox/health. */
export const observations: readonly ControlRoute[] = [
  plainControl({
    method: 'GET',
    pattern: '/sandbox/events',
    summary: 'The events that arrived, newest last',
    query: [
      queryParameter('session_id', UUID, 'Events of this session only.'),
      queryParameter('event_name', TEXT, 'Events with this name only.'),
    ],
    run: ({ request, context }) => listEvents(request, context),
  }),
  plainControl({
    method: 'GET',
    pattern: '/sandbox/explain',
    summary: 'Why each offer was shown or not',
    query: [queryParameter('session_id', UUID, 'The session.')],
    async run({ request, context }) {
      const id = readUuid(new URL(request.url).searchParams.get('session_id'));
      if (id === undefined)
        return partnerRefusal(400, 'The session_id is missing or is not a UUID.', [
          { path: 'session_id', message: 'must be the id of a session' },
        ]);
      const offers = await explain(context, id);
      return offers ? { session_id: id, offers } : notFound('session');
    },
  }),
  plainControl({
    method: 'GET',
    pattern: '/sandbox/health',
    summary: 'Database, version, counts',
    async run({ context }) {
      const [counts] = await context.db.query(
        `SELECT (SELECT count(*) FROM channels) AS channels, (SELECT count(*) FROM publishers WHERE removed_at IS NULL) AS publishers,
             (SELECT count(*) FROM offers WHERE deleted_at IS NULL) AS offers, (SELECT count(*) FROM sessions) AS sessions,
             (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM hourly_facts) AS hourly_facts, (SELECT count(*) FROM conversions) AS conversions`,
      );
      const now = (await context.now()).toISOString();
      return {
        status: 'ok',
        environment: context.environment,
        version: packageVersion(),
        database: context.db.kind,
        now,
        counts,
      };
    },
  }),
];

/** Why each offer was shown or not in a session that a staging network opened. */
async function explain({ db }: NetworkContext, sessionId: string): Promise<unknown> {
  const [session] = await db.query<{ choice: StoredChoice | null }>(
    'SELECT choice FROM sessions WHERE session_id = $1',
    [sessionId],
  );
  const choice = session?.choice;
  if (!choice) return undefined;
  const read = async <T>(version: string): Promise<readonly T[]> => {
    const [row] = await db.query<{ content: readonly T[] }>(
      'SELECT content FROM catalogue_versions WHERE version = $1',
      [version],
    );
    return row?.content ?? [];
  };
  const [offers, spent] = [await read<ExplainedOffer>(choice.catalogue), await read<string>(choice.budgets)];
  return explainChoice(offers, new Set(spent), choice);
}

async function listEvents(request: Request, context: NetworkContext): Promise<unknown> {
  const query = new URL(request.url).searchParams;
  const sessionId = query.get('session_id')?.toLowerCase() ?? null;
  const rows = await context.db.query<ArrivalRow>(
    `SELECT body, status, reason, received_at FROM (
       SELECT body, 'stored' AS status, NULL AS reason, received_at, arrival FROM events
       WHERE ($1::text IS NULL OR session_id = $3::uuid AND publisher_id IN (${PUBLISHERS_OF_SESSION})) AND ($2::text IS NULL OR event_name = $2)
       UNION ALL
       SELECT body, status, reason, received_at, arrival FROM receipts
       WHERE ($1::text IS NULL OR lower(session_id) = $1) AND ($2::text IS NULL OR event_name = $2)
     ) arrivals ORDER BY arrival DESC LIMIT ${MAX_SHOWN}`,
    [sessionId, query.get('event_name'), readUuid(sessionId) ?? null],
  );
  return {
    events: rows.toReversed().map(({ body, status, reason, received_at }) => {
      return {
        event: parseJson(body),
        status,
        received_at: received_at.toISOString(),
        ...(reason === null ? {} : { reason }),
      };
    }),
  };
}
