import { randomUUID } from 'node:crypto';

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
 * Plays an advertiser's server: reports that the last click became a purchase, as only servers may. Resolves to the
 * advertiser's name, or to undefined when there is no click.
 */
export async function reportSale(network: string, key: string): Promise<string | undefined> {
  async function get<Body>(path: string): Promise<Body> {
    const response = await fetch(network + path);
    if (!response.ok) throw new Error(`the network returned ${response.status} for ${path}`);
    return (await response.json()) as Body;
  }

  const { events } = await get<{ events: { event: Click; status: string }[] }>(
    '/sandbox/events?event_name=BRAND_CLICK',
  );
  const click = events.findLast(({ status, event }) => status === 'stored' && event.brand_properties)?.event;
  if (!click) return undefined;
  const { session_id, brand_properties } = click;
  const { now } = await get<{ now: string }>('/sandbox/health');
  const response = await fetch(`${network}/events`, {
    method: 'POST',
    headers: { 'x-api-key': key, version: '1.0.0', 'content-type': 'application/json' },
    body: JSON.stringify({
      event_id: randomUUID(),
      event_name: 'CONVERSION',
      // The shopper's clock may be ahead of the network's, but a purchase never precedes its click.
      event_datetime: now > click.event_datetime ? now : click.event_datetime,
      session_id,
      brand_properties,
      conversion_properties: { conversion_id: randomUUID(), ...PURCHASE },
    }),
  });
  if (response.status !== 201) throw new Error(`the network returned ${response.status} for the conversion`);
  const { offers } = await get<{ offers: { offer_id: string; advertiser: string }[] }>(
    `/sandbox/explain?session_id=${encodeURIComponent(session_id)}`,
  );
  return offers.find(({ offer_id }) => offer_id === brand_properties.offer_id)?.advertiser ?? 'The advertiser';
}
