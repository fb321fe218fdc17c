import { hashEmail } from '../wire/offers/hashEmail.ts';
import { own, type JsonObject } from '../wire/json.ts';
import { toJson } from '../wire/toJson.ts';
import { MEMORY_PREFIX } from './memory.ts';

/**
 * The key that an order's answer is remembered under: a hash of relay, placement, shopper and order.
 * `undefined` when the order is not named or the page cannot hash: then nothing is remembered.
 */
export async function orderKey(
  relay: string,
  { placement_details, user_details, order_details, custom_metadata }: JsonObject,
): Promise<string | undefined> {
  const order = own(order_details, 'order_id');
  if (!order) return undefined;
  try {
    // The same SHA-256; that it lower-cases does no harm here.
    return MEMORY_PREFIX + (await hashEmail(toJson([relay, placement_details, user_details, order, custom_metadata])));
  } catch {
    return undefined;
  }
}
