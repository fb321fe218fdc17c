// The examples of demo/records/, behind a relay.
import { PGlite } from '@electric-sql/pglite';
import { expect, test, vi } from 'vitest';
import { EVENTS_TABLE, eventRows } from '../../demo/records/eventRows.ts';
import { orderTags } from '../../demo/records/orderTags.ts';
import { promoCodes, type AcceptedOffer } from '../../demo/records/promoCodes.ts';
import type { RelayOptions } from '../../src/relay.ts';
import { accept, event, json, REQUEST, SESSION, setUp } from '../relay/scriptedNetwork.ts';

const OFFER = {
  advertiser: { id: 'a1', name: 'Nana Tea' },
  offer: {
    id: 'o1',
    heading: 'A free tin',
    target_url: 'https://tea.example/',
    cta_details: { accept_copy: 'Yes', decline_copy: 'No' },
    metadata: { type: 'PROMO_CODE', code: 'TEA-5' },
  },
};
const ITEM = { insertion_order: 0, insertion_id: 'i1', offer_id: 'o1', advertiser_id: 'a1' };
const OFFERS = {
  session_id: SESSION,
  recommendations: { o1: OFFER },
  recommendation_groups: [{ id: 'g', items: [ITEM] }],
  footer: {},
};

/** A shopper of order 1001 sees an offer and takes it; one event is reported twice. */
async function shop(options: Partial<RelayOptions>): Promise<void> {
  const { post, network } = setUp(options);
  network.respondWith((call) => (call.path === '/recommendations' ? json(200, OFFERS) : accept(call)));
  await post('/recommendations', { ...REQUEST, order_details: { order_id: '1001' } });
  const [seen, clicked] = [event(), event({ event_name: 'BRAND_CLICK' })];
  await post('/events/batch', { events: [seen, clicked] });
  await post('/events', clicked);
}

test('an order is tagged with what was shown and accepted', async () => {
  const tagged: [string, readonly string[]][] = [];
  await shop(orderTags(async (order, tags) => void tagged.push([order, tags])));
  await vi.waitFor(() => expect(tagged).toEqual([['1001', ['offer_shown', 'offer_accepted']]]));
});

test('PostgreSQL gets a row for each event', async () => {
  const db = await PGlite.create();
  await db.exec(EVENTS_TABLE);
  await shop(eventRows(db));
  const read = async (): Promise<unknown> =>
    (await db.query('SELECT order_id, event_name, offer_id FROM offer_events ORDER BY event_name')).rows;
  await vi.waitFor(async () =>
    expect(await read()).toEqual([
      { order_id: '1001', event_name: 'BRAND_CLICK', offer_id: 'o1' },
      { order_id: '1001', event_name: 'BRAND_DISPLAY', offer_id: 'o1' },
    ]),
  );
  await db.close();
}, 60_000);

test('the confirmation e-mail has the promo code of what was accepted', async () => {
  const accepted = new Map<string, readonly AcceptedOffer[]>();
  await shop(promoCodes({ offered: new Map(), accepted }));
  const offer = { advertiser: 'Nana Tea', heading: 'A free tin', code: 'TEA-5' };
  await vi.waitFor(() => expect(accepted).toEqual(new Map([['1001', [offer]]])));
});
