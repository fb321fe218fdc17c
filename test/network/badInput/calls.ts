import { randomUUID } from 'node:crypto';
import { ask, event, NOW, offerFields, type Body, type TestNetwork } from '../testNetwork.ts';

/** A call with a valid body. */
export interface BodyCall {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  /** The kind of key that it needs; none for controls. */
  readonly key?: 'management' | 'integration';
  readonly body: unknown;
  /** Undoes what an accepted body may have changed for later calls. */
  undo?(): Promise<unknown>;
}

/** Every call with a body except the reset, with every field that its body may have. */
export async function bodyCalls(world: TestNetwork): Promise<BodyCall[]> {
  const key = world.network.describe().keys.management ?? '';
  const { publisher_remote_id } = world.network.describe().publisher;
  const [category] = (await world.call('GET', '/adnet/adconfig/categories/', { key })).body.categories;
  const subcategory: string = category.subcategories[0].remote_id;
  const offerId = await world.offer(offerParts(subcategory));
  const session = await world.session();
  const control = world.control;
  const restore = (body: Body) => () => control('PUT', '/sandbox/settings', body);
  return [
    { method: 'PUT', path: '/adnet/channel/exclusions/', key: 'management', body: { subcategory_ids: [subcategory] } },
    {
      method: 'PUT',
      path: `/adnet/publishers/${publisher_remote_id}/exclusions/`,
      key: 'management',
      body: { subcategory_ids: [subcategory] },
    },
    {
      method: 'POST',
      path: '/adnet/publishers/add/',
      key: 'management',
      body: {
        items: [
          {
            brand_name: 'Acme',
            domain: `${randomUUID()}.example`,
            primary_category_id: category.remote_id,
            subcategory_ids: [subcategory],
          },
        ],
      },
    },
    { method: 'POST', path: '/recommendations', key: 'integration', body: wholeRequest() },
    { method: 'POST', path: '/events', key: 'integration', body: wholeEvent(session) },
    { method: 'POST', path: '/events/batch', key: 'integration', body: { events: [wholeEvent(session)] } },
    {
      method: 'POST',
      path: '/sandbox/clock',
      body: { now: NOW },
      undo: () => control('POST', '/sandbox/clock', { now: NOW }),
    },
    { method: 'POST', path: '/sandbox/channels', body: { name: 'Another', environment: 'staging' } },
    {
      method: 'POST',
      path: '/sandbox/keys',
      body: { kind: 'integration', publisher_remote_id, expires_at: NOW, environment: 'staging' },
    },
    {
      method: 'POST',
      path: `/sandbox/publishers/${publisher_remote_id}/status`,
      body: { status: 'APPROVED', staff_notes: 'Fine.' },
    },
    {
      method: 'PUT',
      path: `/sandbox/publishers/${publisher_remote_id}/external-exclusions`,
      body: { subcategory_ids: [subcategory] },
    },
    { method: 'POST', path: '/sandbox/offers', body: offerParts(subcategory) },
    { method: 'PUT', path: `/sandbox/offers/${offerId}`, body: offerParts(subcategory) },
    { method: 'POST', path: '/sandbox/activity', body: { rows: [wholeRow(publisher_remote_id)] } },
    {
      method: 'PUT',
      path: '/sandbox/settings',
      body: wholeSettings(),
      undo: restore(Object.fromEntries(Object.keys(wholeSettings()).map((name) => [name, null]))),
    },
    {
      method: 'POST',
      path: '/sandbox/faults',
      body: {
        route: '/nowhere',
        status: 503,
        body: { message: 'No.' },
        headers: { 'retry-after': '1' },
        delay_ms: 1,
        fail_indexes: [0],
        retryable: true,
        drop_connection: false,
        after_commit: false,
        times: 1,
      },
      undo: () => control('DELETE', '/sandbox/faults'),
    },
  ];
}

function wholeRequest(): Record<string, unknown> {
  const cost_details = { amount: '12.50', currency_code: 'EUR' };
  return ask({
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE', widget_id: 'w', sub_view: 's' },
    order_details: { order_id: '1', cost_details },
    purchases: [{ product_id: 'p', name: 'Tea', quantity: '2', cost_details }],
    attributes: { device_type: 'MOBILE', operating_system: 'iOS', user_agent: 'u', language: 'en', ip_address: '::1' },
    custom_metadata: { is_sandbox: false },
  });
}

function wholeEvent(session: Parameters<typeof event>[1]): Record<string, unknown> {
  return event('CONVERSION', session, {
    initiating_target: 'INLINE_ACTION_BUTTON',
    asset_id: 'a',
    product_properties: { product_id: 'p' },
    conversion_properties: { conversion_id: 'c', order_id: '1', amount: '12.50', currency_code: 'EUR' },
  });
}

function offerParts(subcategory: string): Record<string, unknown> {
  return {
    ...offerFields(subcategory),
    advertiser: { id: 'a', name: 'Teapots', logo_url: 'https://cdn.example/teapots.svg', description: 'Pots.' },
    subheading: 'Round.',
    budget: '100.00',
    weight: 2,
    metadata: { type: 'PROMO_CODE', code: 'POT' },
    assets: [
      {
        id: 'asset',
        asset_type: 'PRODUCT',
        image_url: 'https://cdn.example/pot.svg',
        insertion_order: 0,
        target_url: 'https://teapots.example/pot',
        should_trigger_claim_flow: true,
      },
    ],
    disclosure_details: { copy: 'Terms.', target_url: 'https://teapots.example/terms', content: 'All of them.' },
    active: true,
  };
}

function wholeRow(publisher_remote_id: string): Record<string, unknown> {
  const counts = { impressions: 1, clicks: 1, conversions: 1, feed_loads: 1, widget_loads: 1, widget_displays: 1 };
  const money = { channel_payout: '0.1234', order_revenue_amount: 12.5, billable_ad_spend_amount: 1e-7 };
  return {
    hour: NOW,
    publisher_remote_id,
    page_type: 'THANK_YOU',
    widget_type: 'INLINE',
    widget_id: 'w',
    ...counts,
    ...money,
  };
}

function wholeSettings(): Record<string, unknown> {
  return {
    enabled_metrics: ['clicks', 'ctr'],
    history_from: '2025-08-01',
    hourly_dates: 15,
    report_row_limit: 100,
    source_row_limit: 1_000,
    data_through: NOW,
    shares: { publisher: 0.5, channel: 0.25 },
  };
}
