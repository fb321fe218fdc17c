import { hashEmail } from '../wire/email.ts';
import { own, type JsonObject } from '../wire/json.ts';
import { IDENTIFIERS } from '../wire/recommendations.ts';
import { MEMORY_PREFIX } from './memory.ts';

/**
 * The key that an order's answer is remembered under: a hash of relay, placement, shopper and order.
 * `undefined` when the order is not named or the page cannot hash: then nothing is remembered.
 */
export async function orderKey(relay: string, body: JsonObject): Promise<string | undefined> {
  const order = own(body.order_details, 'order_id');
  const placement = ['view', 'display_mode', 'widget_id', 'sub_view'].map((name) => own(body.placement_details, name));
  const shopper = IDENTIFIERS.map((name) => own(body.user_details, name));
  const isSandbox = own(body.custom_metadata, 'is_sandbox') === true;
  if (order === undefined || order === '') return undefined;
  try {
    // The same SHA-256; that it trims and lower-cases does no harm here.
    return (
      MEMORY_PREFIX +
      (await hashEmail([relay, ...placement, ...shopper, order, isSandbox].map(String).join('\n'))).slice(0, 32)
    );
  } catch {
    return undefined;
  }
}
