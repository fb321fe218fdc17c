import { DAY_MS, HOUR_MS } from '../../wire/utcDates.ts';
import { type Database, DatabaseUnavailableError, type Queries, type Transaction } from '../database/database.ts';
import { factsWriter, periodsAt } from '../facts.ts';
import { markChanged } from '../createProcessCache.ts';
import type { Shares } from '../settings.ts';

/** A session as its events need it. It never changes once it is open. */
export interface StoredSession {
  readonly publisher_id: string;
  readonly session_id: string;
  readonly channel_id: string;
  readonly page_type: string;
  readonly widget_type: string;
  readonly widget_id: string;
  readonly is_sandbox: boolean;
  readonly has_email: boolean;
  readonly order_amount: string | null;
  readonly insertions: Readonly<Record<string, { readonly offer_id: string; readonly advertiser_id: string }>>;
  readonly created_at: Date;
}

/** The shares unless PUT /sandbox/settings sets others. */
const DEFAULT_SHARES: Shares = { publisher: 0.6, channel: 0.2 };

/**
 * Milliseconds for a statement that bills. Offers are on every node, so one that hangs blocks all writers that spend a
 * budget. It is billed later instead.
 */
const BILLING_TIMEOUT_MS = 3_000;

const addEarnings = factsWriter([
  'attributed_ad_spend_amount',
  'billable_ad_spend_amount',
  'channel_payout',
  'publisher_payout',
  'revenue_with_email',
  'revenue_without_email',
]);

/** A conversion that a click has earned, and its price. */
interface EarnedConversion {
  readonly conversion_id: string;
  readonly session_id: string;
  readonly offer_id: string;
  readonly hour: Date;
  readonly price: string;
  /** Whether its offer has a budget, which every node has a copy of. */
  readonly has_budget: boolean;
}

/**
 * Attributes and bills the conversions of these sessions, which are one publisher's, that a click has earned by now; each
 * once. It runs after every stored click and conversion. So neither the order of click and conversion nor a crash between the
 * statements loses money. What cannot be billed holds up no other conversion; then it rejects.
 */
export async function attributeConversions(
  db: Database,
  sessions: readonly StoredSession[],
  shares: Shares = DEFAULT_SHARES,
): Promise<void> {
  const [first] = sessions;
  if (!first) return;
  const earned = await findEarned(db, first.publisher_id, sessions);
  const failures: unknown[] = [];
  for (const conversion of earned) {
    const session = sessions.find(({ session_id }) => session_id === conversion.session_id);
    if (session)
      await db
        .transaction((transaction) => attribute(transaction, conversion, session, shares), {
          statementTimeoutMs: BILLING_TIMEOUT_MS,
        })
        .catch((error: unknown) => {
          if (error instanceof DatabaseUnavailableError && !error.isSlow) throw error;
          failures.push(error);
        });
  }
  if (failures.length > 0) throw failures.find((each) => each instanceof DatabaseUnavailableError) ?? failures[0];
}

/** Conversions not attributed yet whose session has a click on their offer, at most 30 days earlier. */
async function findEarned(
  db: Queries,
  publisherId: string,
  sessions: readonly StoredSession[],
): Promise<EarnedConversion[]> {
  const places = sessions.map((_, index) => `$${index + 2}`).join(', ');
  return db.hot<EarnedConversion>(
    `SELECT conversion_id, session_id, offer_id, hour, o.price_per_conversion AS price, o.budget IS NOT NULL AS has_budget
     FROM conversions c JOIN offers o USING (offer_id)
     WHERE c.publisher_id = $1 AND c.session_id IN (${places}) AND NOT c.attributed
       AND EXISTS (SELECT 1 FROM events e WHERE e.publisher_id = $1 AND ${CLICKED})
     ORDER BY conversion_id`,
    [publisherId, ...sessions.map(({ session_id }) => session_id)],
  );
}

/** A click `e` on the offer of a conversion `c`, at most 30 days earlier. */
const CLICKED = `e.session_id = c.session_id AND e.event_name = 'BRAND_CLICK' AND e.offer_id = c.offer_id
         AND e.event_at <= c.event_at AND e.event_at >= c.event_at - interval '30 days'`;

/** Days after which no event can earn anything for a conversion: clicks are refused by then. */
export const OPEN_DAYS = 31;
/** Sessions that one look for them brings at most. */
export const FULL = 500;

/** Returns some sessions of any publisher with conversions of one day that a click has earned and nobody has billed, as after a kill. */
export async function findUnbilled(db: Database, now: Date, days: number): Promise<StoredSession[]> {
  return db.read((on) =>
    on.query<StoredSession>(
      `SELECT DISTINCT s.publisher_id, s.session_id, s.channel_id, s.page_type, s.widget_type, s.widget_id, s.is_sandbox,
         s.has_email, s.order_amount, s.insertions, s.created_at
       FROM conversions c JOIN sessions s ON s.publisher_id = c.publisher_id AND s.session_id = c.session_id
       WHERE NOT c.attributed AND c.event_at >= $1 AND c.event_at < $2
         AND EXISTS (SELECT 1 FROM events e WHERE e.publisher_id = c.publisher_id AND ${CLICKED})
       LIMIT $3`,
      // Clocks differ by minutes.
      [new Date(now.getTime() - days * DAY_MS), new Date(now.getTime() + HOUR_MS - (days - 1) * DAY_MS), FULL],
    ),
  );
}

async function attribute(
  db: Transaction,
  conversion: EarnedConversion,
  session: StoredSession,
  shares: Shares,
): Promise<void> {
  const [won] = await db.query(
    `UPDATE conversions SET attributed = true, price = $3 WHERE publisher_id = $1 AND conversion_id = $2 AND NOT attributed
     RETURNING conversion_id`,
    [session.publisher_id, conversion.conversion_id, conversion.price],
  );
  if (!won) return;
  const billed = await bill(db, conversion);
  const [payout] = await db.query<{ channel: string; publisher: string }>(
    `UPDATE conversions SET billed = $3, channel_payout = $4::numeric * $5::numeric, publisher_payout = $4::numeric * $6::numeric
     WHERE publisher_id = $1 AND conversion_id = $2 RETURNING channel_payout AS channel, publisher_payout AS publisher`,
    [
      session.publisher_id,
      conversion.conversion_id,
      billed,
      billed ? conversion.price : '0',
      shares.channel,
      shares.publisher,
    ],
  );
  addMoney(db, conversion, session, {
    billable: billed ? conversion.price : '0',
    channel: payout?.channel ?? '0',
    publisher: payout?.publisher ?? '0',
  });
}

/** Bills the advertiser. Returns whether the whole price fitted into what was left of the budget, which is never exceeded. */
async function bill(db: Queries, { offer_id, price }: EarnedConversion): Promise<boolean> {
  const isUnlimited = async (): Promise<boolean> =>
    (await db.query('SELECT 1 AS yes FROM offers WHERE offer_id = $1 AND budget IS NULL', [offer_id])).length > 0;
  if (await isUnlimited()) return true;
  const [paid] = await db.query<{ is_spent: boolean }>(
    `UPDATE offers SET spent = spent + $2::numeric WHERE offer_id = $1 AND spent + $2::numeric <= budget
     RETURNING spent + price_per_conversion > budget AS is_spent`,
    [offer_id, price],
  );
  // From now on no process shows it.
  if (paid?.is_spent === true) await markChanged(db, 'budgets');
  // It may have waited for a control that lifted the budget.
  return paid !== undefined || isUnlimited();
}

function addMoney(
  db: Transaction,
  conversion: EarnedConversion,
  session: StoredSession,
  money: { readonly billable: string; readonly channel: string; readonly publisher: string },
): void {
  const { publisher_id, channel_id, page_type, widget_type, widget_id } = session;
  addEarnings(db, publisher_id, [
    {
      channel_id,
      page_type,
      widget_type,
      widget_id,
      ...periodsAt(conversion.hour),
      measures: {
        attributed_ad_spend_amount: conversion.price,
        billable_ad_spend_amount: money.billable,
        channel_payout: money.channel,
        publisher_payout: money.publisher,
        revenue_with_email: session.has_email ? money.channel : '0',
        revenue_without_email: session.has_email ? '0' : money.channel,
      },
    },
  ]);
}
