import type { AuditSandbox } from 'offerlet-operator';
import type { Network } from '../network.ts';
import { MISCOUNTS } from '../wire/audit/explainDifference.ts';
import { isObject, own } from '../wire/json.ts';
import type { Responder } from './startNetwork.ts';

/** Shoppers that one request lets shop: enough that a network that drops one event of a hundred drops some of their 800. */
const SHOPPERS = 60;
/** Offers that each sees: what happens to them, and three events of the widget, fit into one batch. */
const OFFERS = 8;
/** Shoppers at a time. */
const HANDS = 4;
const PLACEMENTS = [
  { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'audit' },
  { view: 'THANK_YOU', display_mode: 'OVERLAY', widget_id: 'audit' },
  { view: 'ORDER_STATUS', display_mode: 'INLINE', widget_id: 'audit' },
];

export interface AuditSandboxOptions {
  readonly network: Pick<Network, 'fetch' | 'now'>;
  /** The network's URL. */
  readonly url: string;
  readonly relay: Responder;
  /** The relay's path. */
  readonly path: string;
}

/** What the console's page *Audit* can do in a sandbox: let the network count wrongly, and let shoppers shop. */
export function createAuditSandbox({ network, url, relay, path }: AuditSandboxOptions): AuditSandbox {
  async function post(to: string, body: object, ip: string): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const request = new Request(new URL(path + to, url), { method: 'POST', headers, body: JSON.stringify(body) });
    return (await relay(request, { ip })).json();
  }

  /** One shopper, who is each time at another address: the relay limits what one may send. */
  async function shopOnce(index: number): Promise<void> {
    const ip = `198.18.${Math.floor(Math.random() * 256)}.${1 + (index % 250)}`;
    const placement_details = PLACEMENTS[index % PLACEMENTS.length];
    const offers = await post(
      '/recommendations',
      { user_details: { external_guid: crypto.randomUUID() }, placement_details },
      ip,
    );
    const session_id = own(offers, 'session_id');
    if (typeof session_id !== 'string') return;
    const event_datetime = (await network.now()).toISOString();
    const happened = (event_name: string, fields: object): object => {
      return { event_id: crypto.randomUUID(), event_name, event_datetime, session_id, ...fields };
    };
    const slot = { initiating_target: 'INLINE_SLOT' };
    const events = ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'WIDGET_VIEW'].map((name) => happened(name, slot));
    for (const brand_properties of itemsOf(offers).slice(0, OFFERS)) {
      events.push(happened('BRAND_DISPLAY', { ...slot, brand_properties }));
      if (Math.random() < 0.3)
        events.push(happened('BRAND_CLICK', { initiating_target: 'INLINE_ACTION_BUTTON', brand_properties }));
    }
    await post('/events/batch', { events }, ip);
  }

  return {
    now: () => network.now(),
    async miscount(change) {
      const request = new Request(`${url}/sandbox/settings`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(change),
      });
      const settings: unknown = await (await network.fetch(request)).json();
      const miscount = MISCOUNTS.find((name) => name === own(settings, 'miscount'));
      const hour = own(settings, 'lost_hour');
      return { miscount: miscount ?? null, lost_hour: typeof hour === 'string' ? hour : null };
    },
    async shop() {
      const all = Array.from({ length: SHOPPERS }, (_, index) => index).values();
      const hand = async (): Promise<void> => {
        for (const index of all) await shopOnce(index);
      };
      await Promise.all(Array.from({ length: HANDS }, hand));
    },
  };
}

/** The offers in a response, as events name them. */
function itemsOf(offers: unknown): object[] {
  const groups = own(offers, 'recommendation_groups');
  const items = Array.isArray(groups) ? groups.flatMap((group: unknown) => own(group, 'items') ?? []) : [];
  return items.filter(isObject).map((item) => ({
    offer_id: own(item, 'offer_id'),
    advertiser_id: own(item, 'advertiser_id'),
    insertion_id: own(item, 'insertion_id'),
  }));
}
