import { randomUUID } from 'node:crypto';
import { own, readUuid } from '../../wire/json.ts';
import type { Environment } from '../../wire/keys.ts';
import { ID_MAX_LENGTH, RECOMMENDATIONS_BODY_MAX_BYTES } from '../../wire/limits.ts';
import { parseRecommendationRequest } from '../../wire/offers/parseRecommendationRequest.ts';
import type { IdentifiedRequest } from '../../wire/offers/request.ts';
import type { Footer, GroupItem, Offer, Recommendation, RecommendationResponse } from '../../wire/offers/response.ts';
import { checkCall, type KeyRecord, type NetworkContext, type NetworkRoute, partnerRefusal } from '../context.ts';
import { type Versioned, FIRST_VERSION, versionColumn } from '../createProcessCache.ts';
import { type Queries, insertRows, hotEach } from '../database/database.ts';
import { SESSION_PUBLISHER_DIGITS } from '../database/schema.ts';
import { rememberSession } from '../eventRoutes.ts';
import type { StoredSession } from '../events/attributeConversions.ts';
import { withClickReference } from './clickReference.ts';
import { type OfferRow, openCatalogue, primaryLanguage, type StoredChoice } from './shelves.ts';

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
  const publisher = await publisherOfKey(context, call.key, typeof named === 'string' ? named : undefined);
  if (!publisher) {
    const message = 'must be an approved publisher of the channel that owns the key';
    return partnerRefusal(400, 'The key does not serve this publisher.', [{ path: 'publisher_remote_id', message }]);
  }
  return Response.json(await openSession(parsed.value, { publisher, key: call.key }, context));
}

async function openSession(
  request: IdentifiedRequest,
  { publisher, key }: { readonly publisher: ServedPublisher; readonly key: KeyRecord },
  context: NetworkContext,
): Promise<unknown> {
  const created_at = await context.now();
  const session_id = newSessionId(created_at, publisher.publisher_id);
  const is_sandbox = request.custom_metadata?.is_sandbox === true;
  const language = request.attributes?.language;
  const { shelves, versions } = await openCatalogue(context);
  const { exclusions } = publisher;
  const { maxOffers } = context;
  const shown = shelves.choose({ session_id, exclusions, language, maxOffers });
  const insertions = shown.map((offer) => ({ insertion_id: randomUUID(), offer }));
  const stored = await storeSession(context.db, {
    session_id,
    publisher,
    request,
    insertions,
    created_at,
    environment: context.environment,
    choice: {
      ...versions,
      excluded: [...exclusions],
      language,
      max_offers: maxOffers,
      shown: shown.map(({ offer_id }) => offer_id),
    },
  });
  // Its events come with the same key, often to this process.
  rememberSession(context.cache, key, stored);
  return offersBody(insertions, { session_id, is_sandbox, networkUrl: context.networkUrl, language });
}

/**
 * A UUID that begins with its session's time and ends as its publisher's does; 50 bits between are random. So the rows of
 * sessions of one month are neighbours, and `events` can be partitioned by time with its key
 * (docs/operators/scale.md#retention). A partner-wide key finds a session's publisher, whose shard holds it.
 */
function newSessionId(time: Date, publisherId: string): string {
  const milliseconds = time.getTime().toString(16).padStart(12, '0');
  const random = randomUUID().slice(13, -SESSION_PUBLISHER_DIGITS);
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}${random}${publisherId.slice(-SESSION_PUBLISHER_DIGITS)}`;
}

/** A publisher as /recommendations needs it. */
interface ServedPublisher {
  readonly publisher_id: string;
  readonly channel_id: string;
  /** Subcategories excluded by the channel for all publishers, by the channel for this one, or by the publisher (docs/project/rules.md#c8). */
  readonly exclusions: ReadonlySet<string>;
}

interface ServedPublisherRow {
  readonly publisher_id: string;
  readonly channel_id: string;
  readonly external_exclusions: readonly string[];
  readonly publisher_exclusions: readonly string[];
  readonly channel_exclusions: readonly string[] | null;
}

/**
 * The publisher that a key serves. A partner-wide key serves every publisher of its channel: the named one, by default the
 * channel's first. A process reads it once for each version of the publishers.
 */
async function publisherOfKey(
  { db, cache, versions }: NetworkContext,
  key: KeyRecord,
  named: string | undefined,
): Promise<ServedPublisher | undefined> {
  const isWide = key.kind === 'partner_wide';
  const wanted = isWide ? (named === undefined ? null : readUuid(named)) : key.publisher_id;
  if (wanted === undefined || (!isWide && wanted === null)) return undefined;
  return cache.atVersion(`publisher ${key.channel_id} ${wanted}`, (await versions()).publishers, () =>
    readPublisher(db, key.channel_id, wanted),
  );
}

async function readPublisher(
  db: Queries,
  channelId: string,
  publisherId: string | null,
): Promise<Versioned<ServedPublisher | undefined>> {
  // One row: so even if there is no such publisher, that has its version.
  const [row] = await db.query<{ version: string | null; publisher: ServedPublisherRow | null }>(
    `SELECT ${versionColumn('publishers')}, (
       SELECT json_build_object('publisher_id', publisher_remote_id, 'channel_id', channel_id,
         'external_exclusions', external_exclusions, 'publisher_exclusions', publisher_exclusions,
         'channel_exclusions', (SELECT json_agg(subcategory_id) FROM channel_exclusions c WHERE c.channel_id = publishers.channel_id))
       FROM publishers
       WHERE channel_id = $1 AND status = 'APPROVED' AND removed_at IS NULL AND publisher_remote_id IS NOT NULL
         AND ($2::uuid IS NULL OR publisher_remote_id = $2)
       ORDER BY (publisher_remote_id::text = (SELECT value->>'publisher_remote_id' FROM settings WHERE name = 'first')) DESC NULLS LAST,
         created_at, pending_publisher_id LIMIT 1) AS publisher`,
    [channelId, publisherId],
  );
  return { version: row?.version ?? FIRST_VERSION, value: row?.publisher ? served(row.publisher) : undefined };
}

function served({ publisher_id, channel_id, ...row }: ServedPublisherRow): ServedPublisher {
  const exclusions = [...row.external_exclusions, ...row.publisher_exclusions, ...(row.channel_exclusions ?? [])];
  return { publisher_id, channel_id, exclusions: new Set(exclusions.map((id) => id.toLowerCase())) };
}

/** A new session. */
interface NewSession {
  readonly session_id: string;
  readonly publisher: ServedPublisher;
  readonly request: IdentifiedRequest;
  readonly insertions: readonly Insertion[];
  readonly created_at: Date;
  /** Only events with a key of the same environment are accepted. */
  readonly environment: Environment;
  /** Stored in staging only, for GET /sandbox/explain. */
  readonly choice: StoredChoice;
}

const COLUMNS = [
  'session_id',
  'channel_id',
  'page_type',
  'widget_type',
  'widget_id',
  'is_sandbox',
  'has_email',
  'order_amount',
  'insertions',
  'created_at',
  'environment',
  'choice',
] as const;
const insertSession = insertRows({ into: 'sessions', columns: COLUMNS });

/** Stores what the session's events will need. About the shopper it stores only whether the request had an email address. */
async function storeSession(db: Queries, session: NewSession): Promise<StoredSession> {
  const { publisher, request, session_id } = session;
  const { view, display_mode, widget_id } = request.placement_details;
  const insertions = Object.fromEntries(
    session.insertions.map(({ insertion_id, offer }) => [
      insertion_id,
      { offer_id: offer.offer_id, advertiser_id: offer.advertiser_id },
    ]),
  );
  const { email, email_hash } = request.user_details;
  const stored: StoredSession = {
    publisher_id: publisher.publisher_id,
    session_id,
    channel_id: publisher.channel_id,
    page_type: view,
    widget_type: display_mode,
    widget_id: widget_id ?? '',
    is_sandbox: request.custom_metadata?.is_sandbox === true,
    has_email: email !== undefined || email_hash !== undefined,
    order_amount: orderAmount(request),
    insertions,
    created_at: session.created_at,
  };
  const row = {
    ...stored,
    insertions: JSON.stringify(insertions),
    environment: session.environment,
    choice: session.environment === 'staging' ? JSON.stringify(session.choice) : null,
  };
  await hotEach(db, insertSession(stored.publisher_id, [COLUMNS.map((column) => row[column])]), {
    near: stored.publisher_id,
  });
  return stored;
}

/** The order's total as exact decimal text. Currencies are not converted: a publisher sells in one currency. */
function orderAmount({ order_details }: IdentifiedRequest): string | null {
  const amount = order_details?.cost_details?.amount;
  return amount === undefined ? null : decimalText(amount);
}

/** Writes numbers such as `1e-7` in digits. */
function decimalText(amount: number | string): string {
  const text = String(amount);
  return /e/i.test(text) ? Number(amount).toFixed(12) : text;
}

/** An offer shown in one session. */
interface Insertion {
  readonly insertion_id: string;
  readonly offer: OfferRow;
}

/** What the response contains besides its offers. */
interface OffersBodyOptions {
  readonly session_id: string;
  readonly is_sandbox: boolean;
  /** The base of URLs that the network serves itself. */
  readonly networkUrl: string;
  /** The language of the page, where the request says it. */
  readonly language?: string | undefined;
}

/** The response body of POST /recommendations (docs/project/wire.md#offers). */
function offersBody(insertions: readonly Insertion[], options: OffersBodyOptions): RecommendationResponse {
  const items = insertions.map(({ insertion_id, offer }, insertion_order): GroupItem => {
    return { insertion_order, insertion_id, offer_id: offer.offer_id, advertiser_id: offer.advertiser_id };
  });
  const texts = networkTexts(options.language);
  return {
    session_id: options.session_id,
    recommendations: Object.fromEntries(
      insertions.map((insertion) => [insertion.offer.offer_id, recommendationOf(insertion, options)]),
    ),
    recommendation_groups:
      items.length === 0 ? [] : [{ id: 'group_0', heading: texts.heading, slot_context: 'HERO', items }],
    footer: footer(options.networkUrl, texts),
    ...(options.is_sandbox ? { sandbox: true } : {}),
  };
}

function recommendationOf(
  { insertion_id, offer: row }: Insertion,
  { session_id, networkUrl, is_sandbox }: OffersBodyOptions,
): Recommendation {
  const { offer_id, advertiser_id } = row;
  const click = { session_id, offer_id, advertiser_id, insertion_id };
  const targetOf = (url: string): string => withClickReference(absoluteUrl(url, networkUrl), click);
  const { assets, disclosure_details, language: _language, ...details } = row.details;
  const offer: Offer & { is_sandbox?: true } = {
    id: row.offer_id,
    heading: row.heading,
    ...details,
    target_url: targetOf(row.target_url),
    ...(assets
      ? {
          assets: assets.map((asset) => {
            const { target_url } = asset;
            const whole = withAbsoluteUrls(asset, ['image_url'], networkUrl);
            return target_url === undefined ? whole : { ...whole, target_url: targetOf(target_url) };
          }),
        }
      : {}),
    ...(disclosure_details
      ? { disclosure_details: withAbsoluteUrls(disclosure_details, ['target_url'], networkUrl) }
      : {}),
    ...(is_sandbox ? { is_sandbox: true } : {}),
  };
  const advertiser = {
    id: row.advertiser_id,
    name: row.advertiser_name,
    logo_url: absoluteUrl(row.logo_url, networkUrl),
  };
  return { advertiser: row.description === null ? advertiser : { ...advertiser, description: row.description }, offer };
}

function footer(networkUrl: string, texts: NetworkTexts): Footer {
  return {
    attribution_details: {
      copy: texts.attribution,
      logo_url: `${networkUrl}/logos/network.svg`,
      target_url: `${networkUrl}/`,
    },
    privacy_policy: { copy: texts.privacy, target_url: `${networkUrl}/privacy` },
  };
}

function absoluteUrl(url: string, networkUrl: string): string {
  return url.startsWith('/') ? networkUrl + url : url;
}

function withAbsoluteUrls<T extends object>(value: T, fields: readonly (keyof T)[], networkUrl: string): T {
  const copy = { ...value };
  for (const field of fields) {
    const url = copy[field];
    if (typeof url === 'string') copy[field] = absoluteUrl(url, networkUrl) as T[typeof field];
  }
  return copy;
}

/** The network's own texts in a response. */
interface NetworkTexts {
  readonly heading: string;
  readonly attribution: string;
  readonly privacy: string;
}

const ENGLISH: NetworkTexts = {
  heading: 'Picked for you by our partners',
  attribution: 'Offers by the sandbox network',
  privacy: 'Privacy policy',
};
const OTHERS: ReadonlyMap<string, NetworkTexts> = new Map([
  [
    'de',
    {
      heading: 'Von unseren Partnern für Sie',
      attribution: 'Angebote vom Sandbox-Netzwerk',
      privacy: 'Datenschutz',
    },
  ],
  [
    'fr',
    {
      heading: 'Choisi pour vous par nos partenaires',
      attribution: 'Offres du réseau de test',
      privacy: 'Politique de confidentialité',
    },
  ],
  [
    'es',
    {
      heading: 'Elegido para ti por nuestros socios',
      attribution: 'Ofertas de la red de pruebas',
      privacy: 'Política de privacidad',
    },
  ],
  ['ar', { heading: 'اختيارات شركائنا لك', attribution: 'عروض من شبكة الاختبار', privacy: 'سياسة الخصوصية' }],
]);

/** Returns the network's texts in a language (`de`, `ar-EG`), or in English. */
function networkTexts(language: string | undefined): NetworkTexts {
  return OTHERS.get(primaryLanguage(language) ?? '') ?? ENGLISH;
}
