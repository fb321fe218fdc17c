import type { Migration } from './migration.ts';

/** Facts by UTC day: the source of every report that is not hourly, with at best a twenty-fourth of the rows. */
export const dailyFacts: Migration = {
  sql: `
-- The statements that write hourly_facts write these as well (facts/addFacts.ts).
CREATE TABLE daily_facts (
  publisher_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  day date NOT NULL,
  week_start date NOT NULL,
  month_start date NOT NULL,
  page_type text NOT NULL,
  widget_type text NOT NULL,
  widget_id text NOT NULL,
  impressions bigint NOT NULL DEFAULT 0,
  clicks bigint NOT NULL DEFAULT 0,
  conversions bigint NOT NULL DEFAULT 0,
  feed_loads bigint NOT NULL DEFAULT 0,
  widget_displays bigint NOT NULL DEFAULT 0,
  viewable_widget_displays bigint NOT NULL DEFAULT 0,
  channel_payout numeric NOT NULL DEFAULT 0,
  publisher_payout numeric NOT NULL DEFAULT 0,
  revenue_with_email numeric NOT NULL DEFAULT 0,
  revenue_without_email numeric NOT NULL DEFAULT 0,
  order_revenue_amount numeric NOT NULL DEFAULT 0,
  attributed_ad_spend_amount numeric NOT NULL DEFAULT 0,
  billable_ad_spend_amount numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (publisher_id, day, channel_id, page_type, widget_type, widget_id)
);
CREATE INDEX daily_facts_of_channel ON daily_facts (channel_id, day);
`,
  sharded: ['daily_facts'],
  fill: `
INSERT INTO daily_facts (publisher_id, channel_id, day, week_start, month_start, page_type, widget_type, widget_id,
  impressions, clicks, conversions, feed_loads, widget_displays, viewable_widget_displays,
  channel_payout, publisher_payout, revenue_with_email, revenue_without_email,
  order_revenue_amount, attributed_ad_spend_amount, billable_ad_spend_amount)
SELECT publisher_id, channel_id, day, min(week_start), min(month_start), page_type, widget_type, widget_id,
  sum(impressions), sum(clicks), sum(conversions), sum(feed_loads), sum(widget_displays), sum(viewable_widget_displays),
  sum(channel_payout), sum(publisher_payout), sum(revenue_with_email), sum(revenue_without_email),
  sum(order_revenue_amount), sum(attributed_ad_spend_amount), sum(billable_ad_spend_amount)
FROM hourly_facts GROUP BY publisher_id, channel_id, day, page_type, widget_type, widget_id;
`,
};
