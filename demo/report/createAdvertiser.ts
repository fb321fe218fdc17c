import { randomUUID } from 'node:crypto';
import type { Sale } from './metrics.ts';
import type { ShopKeys, ShopReports } from './createReport.ts';

/** What the shopper bought from the advertiser. */
const PURCHASE = { amount: '39.00', currency_code: 'EUR' };

interface Click {
  readonly event_datetime: string;
  readonly session_id: string;
  readonly brand_properties: {
    readonly offer_id: string;
    readonly advertiser_id: string;
    readonly insertion_id: string;
  };
}

/**
 * Plays an advertiser's server: reports that the last click became a purchase, as only servers may. Resolves to undefined
 * when there is no click. Whether the sale was counted is read from the reports, before and after.
 */
export function createAdvertiser(options: {
  network: string;
  keys: Pick<ShopKeys, 'integration'>;
  reports: ShopReports;
}): () => Promise<Sale | undefined> {
  const { network, keys, reports } = options;

  async function get<Body>(path: string): Promise<Body> {
    const response = await fetch(network + path);
    if (!response.ok) throw new Error(`the network returned ${response.status} for ${path}`);
    return (await response.json()) as Body;
  }

  return async () => {
    const { events } = await get<{ events: { event: Click; status: string }[] }>(
      '/sandbox/events?event_name=BRAND_CLICK',
    );
    const click = events.findLast(({ status, event }) => status === 'stored' && event.brand_properties)?.event;
    if (!click) return undefined;
    const before = await reports.read();
    await report(click, (await get<{ now: string }>('/sandbox/health')).now);
    const after = await reports.read();
    const grew = (of: 'channel' | 'publisher', metric: string): number =>
      Math.round(((after.shop[of][metric] ?? 0) - (before.shop[of][metric] ?? 0)) * 100) / 100;
    const tracked = (metric: string): number => (after.tracking[metric] ?? 0) - (before.tracking[metric] ?? 0);
    return {
      advertiser: await nameOf(click),
      isCounted: grew('channel', 'conversions') + tracked('conversions') > 0,
      channel_payout: Math.round((grew('channel', 'channel_payout') + tracked('channel_payout')) * 100) / 100,
      publisher_payout: grew('publisher', 'publisher_payout'),
    };
  };

  async function report(click: Click, now: string): Promise<void> {
    const { session_id, brand_properties } = click;
    // The shopper's clock may be ahead of the network's, but a purchase never precedes its click.
    const event_datetime = now > click.event_datetime ? now : click.event_datetime;
    const conversion_properties = { conversion_id: randomUUID(), ...PURCHASE };
    const response = await fetch(`${network}/events`, {
      method: 'POST',
      headers: { 'x-api-key': keys.integration, version: '1.0.0', 'content-type': 'application/json' },
      body: JSON.stringify({
        event_id: randomUUID(),
        event_name: 'CONVERSION',
        event_datetime,
        session_id,
        brand_properties,
        conversion_properties,
      }),
    });
    if (response.status !== 201) throw new Error(`the network returned ${response.status} for the conversion`);
  }

  async function nameOf({ session_id, brand_properties }: Click): Promise<string> {
    const { offers } = await get<{ offers: { offer_id: string; advertiser: string }[] }>(
      `/sandbox/explain?session_id=${encodeURIComponent(session_id)}`,
    );
    return offers.find(({ offer_id }) => offer_id === brand_properties.offer_id)?.advertiser ?? 'The advertiser';
  }
}
