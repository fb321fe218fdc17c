import { expect } from 'vitest';
import type { Answered, Body, TestNetwork } from '../testNetwork.ts';

/** A separate channel, so that tests share nothing but the network. */
export interface Tenant {
  readonly keys: Readonly<Record<'management' | 'publishable' | 'publisher_reporting' | 'integration', string>>;
  readonly publisher: { readonly publisher_remote_id: string; readonly brand_name: string };
  /** Calls the API, by default with the management key, and checks the response against the contract. */
  call(method: string, path: string, body?: unknown, key?: string): Promise<Answered>;
  get(path: string): Promise<Body>;
  /** The ids of subcategories, by category. */
  readonly categories: readonly {
    remote_id: string;
    name: string;
    subcategories: readonly { remote_id: string; name: string }[];
  }[];
  /** A valid item with some parts replaced. */
  item(parts?: Record<string, unknown>): Record<string, unknown>;
  /** Adds one publisher; returns its request. */
  add(parts?: Record<string, unknown>): Promise<Body>;
  /** Adds and approves one publisher; returns what the control returns. */
  approved(parts?: Record<string, unknown>): Promise<Body>;
}

/** Opens one on a network in staging. */
export async function openTenant(world: TestNetwork, name = 'CH1'): Promise<Tenant> {
  const made = await world.control('POST', '/sandbox/channels', { name });
  const call: Tenant['call'] = (method, path, body, key = made.keys.management) =>
    world.call(method, path, { key, body });
  const get: Tenant['get'] = async (path) => {
    const { status, body } = await call('GET', path);
    expect(status, path).toBe(200);
    return body;
  };
  const { categories } = await get('/adnet/adconfig/categories/');
  let count = 0;
  const item: Tenant['item'] = (parts = {}) => {
    count += 1;
    const [category] = categories;
    return {
      brand_name: `Brand ${count}`,
      domain: `brand-${count}.example`,
      primary_category_id: category.remote_id,
      subcategory_ids: [category.subcategories[0].remote_id],
      ...parts,
    };
  };
  const add: Tenant['add'] = async (parts) => {
    const { status, body } = await call('POST', '/adnet/publishers/add/', { items: [item(parts)] });
    expect(status, JSON.stringify(body)).toBe(201);
    return body.results[0].create_request;
  };
  return {
    keys: made.keys,
    publisher: made.publisher,
    categories,
    call,
    get,
    item,
    add,
    async approved(parts) {
      const { pending_publisher_id } = await add(parts);
      return world.control('POST', `/sandbox/publishers/${pending_publisher_id}/status`, { status: 'APPROVED' });
    },
  };
}
