import { randomUUID } from 'node:crypto';
import { own } from '../../wire/json.ts';
import { ID_MAX_LENGTH, RECOMMENDATIONS_BODY_MAX_BYTES } from '../../wire/limits.ts';
import { parseRecommendationRequest } from '../../wire/offers/parseRecommendationRequest.ts';
import type { IdentifiedRequest } from '../../wire/offers/request.ts';
import type { NetworkContext, NetworkRoute } from '../context.ts';
import { checkCall } from '../partner/checkCall.ts';
import { partnerRefusal } from '../partner/partnerRefusal.ts';
import { publisherOfKey, type ServedPublisher } from '../partner/publisherOfKey.ts';
import { offersBody } from './offersBody.ts';
import { chooseOffers } from './chooseOffers.ts';
import { readCatalogue } from './offerRow.ts';
import { storeSession } from './storeSession.ts';

/** Maximum bytes of a request body: a relay reads 16 KiB and adds what the merchant's server provides. */
const BODY_MAX_BYTES = 4 * RECOMMENDATIONS_BODY_MAX_BYTES;

/** POST /recommendations. */
export const recommendationRoutes: readonly NetworkRoute[] = [
  { methods: ['POST'], pattern: '/recommendations', surface: 'partner', handler: postRecommendations },
];

async function postRecommendations(request: Request, context: NetworkContext): Promise<Response> {
  const call = await checkCall(request, context, BODY_MAX_BYTES);
  if (!call.ok) return call.refusal;
  const parsed = parseRecommendationRequest(call.json);
  if (!parsed.ok) return partnerRefusal(400, 'The recommendations request is not valid.', parsed.problems);
  // Stricter than the relay: a widget_id is part of a database key, and an index entry is limited.
  if ((parsed.value.placement_details.widget_id?.length ?? 0) > ID_MAX_LENGTH) {
    const message = `must be a string of at most ${ID_MAX_LENGTH} characters`;
    return partnerRefusal(400, 'The recommendations request is not valid.', [
      { path: 'placement_details.widget_id', message },
    ]);
  }
  const named = own(call.json, 'publisher_remote_id');
  const publisher = await publisherOfKey(context.db, call.key, typeof named === 'string' ? named : undefined);
  if (!publisher) {
    const message = 'must be an approved publisher of the channel that owns the key';
    return partnerRefusal(400, 'The key does not serve this publisher.', [{ path: 'publisher_remote_id', message }]);
  }
  return Response.json(await openSession(parsed.value, publisher, context));
}

async function openSession(
  request: IdentifiedRequest,
  publisher: ServedPublisher,
  context: NetworkContext,
): Promise<unknown> {
  const created_at = await context.now();
  const session_id = newSessionId(created_at);
  const is_sandbox = request.custom_metadata?.is_sandbox === true;
  const language = request.attributes?.language;
  const catalogue = await readCatalogue(context.db);
  const choice = chooseOffers(catalogue, {
    session_id,
    exclusions: publisher.exclusions,
    language,
    maxOffers: context.maxOffers,
  });
  const insertions = choice.shown.map((offer) => ({ insertion_id: randomUUID(), offer }));
  await storeSession(context.db, {
    session_id,
    publisher,
    request,
    insertions,
    created_at,
    environment: context.environment,
    explanations: context.environment === 'staging' ? choice.explanations : undefined,
  });
  return offersBody(insertions, { session_id, is_sandbox, baseUrl: context.baseUrl, language });
}

/**
 * A UUID that begins with its session's time and is otherwise random (74 bits). So the rows of sessions of one month are
 * neighbours, and `events` can be partitioned by time with the key that it has: docs/scale.md#retention.
 */
function newSessionId(time: Date): string {
  const milliseconds = time.getTime().toString(16).padStart(12, '0');
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}${randomUUID().slice(13)}`;
}
