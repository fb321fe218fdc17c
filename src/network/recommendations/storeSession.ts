import type { IdentifiedRequest } from '../../wire/offers/request.ts';
import type { Environment } from '../../wire/keys.ts';
import type { Database } from '../database/database.ts';
import { insertRows } from '../database/insertRows.ts';
import type { ServedPublisher } from '../partner/publisherOfKey.ts';
import type { Insertion } from './offersBody.ts';
import type { OfferExplanation } from './chooseOffers.ts';

/** A new session. */
export interface NewSession {
  readonly session_id: string;
  readonly publisher: ServedPublisher;
  readonly request: IdentifiedRequest;
  readonly insertions: readonly Insertion[];
  readonly created_at: Date;
  /** Only events with a key of the same environment are accepted. */
  readonly environment: Environment;
  /** Stored in staging only. */
  readonly explanations?: readonly OfferExplanation[] | undefined;
}

const insertSession = insertRows({
  into: 'sessions',
  columns: [
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
  ],
});
const insertExplanation = insertRows({ into: 'explanations', columns: ['session_id', 'explanation'] });

/** Stores what the session's events will need. About the shopper it stores only whether the request had an email address. */
export async function storeSession(db: Database, session: NewSession): Promise<void> {
  const { publisher, request, session_id } = session;
  const { view, display_mode, widget_id } = request.placement_details;
  const insertions = Object.fromEntries(
    session.insertions.map(({ insertion_id, offer }) => [
      insertion_id,
      { offer_id: offer.offer_id, advertiser_id: offer.advertiser_id },
    ]),
  );
  const { email, email_hash } = request.user_details;
  const statements = [
    ...insertSession(publisher.publisher_id, [
      [
        session_id,
        publisher.channel_id,
        view,
        display_mode,
        widget_id ?? '',
        request.custom_metadata?.is_sandbox === true,
        email !== undefined || email_hash !== undefined,
        orderAmount(request),
        JSON.stringify(insertions),
        session.created_at,
        session.environment,
      ],
    ]),
  ];
  if (session.explanations)
    statements.push(...insertExplanation(publisher.publisher_id, [[session_id, JSON.stringify(session.explanations)]]));
  await db.transaction(async (transaction) => {
    for (const statement of statements) transaction.send(...statement);
  });
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
