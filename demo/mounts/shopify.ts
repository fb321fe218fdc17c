import type { RelayContext, RelayOptions } from 'offerlet/relay';
import { shopify, type SessionClaims } from 'offerlet/relay-shopify';

const QUERY = `query ($filter: String!) {
  orders(first: 1, query: $filter) { nodes { email confirmationNumber } }
}`;

/**
 * Options of `createRelay` for extensions of Shopify's checkout, with the email address of the order. `accessTokenOf` returns the
 * shop's offline access token that the app has stored; the app needs the scope `read_orders`.
 */
export function shopifyOptions(accessTokenOf: (shop: string) => Promise<string>): Partial<RelayOptions> {
  return shopify({
    clientId: '0f6c2a7d…', // client_id in shopify.app.toml
    clientSecret: () => process.env['SHOPIFY_API_SECRET'],
    // Without the email, offers by the order are better than none.
    context: (claims, request) => readOrder(claims, request).catch(() => undefined),
  });

  /** Reads the email address of the order that the extension names. Undefined while the order does not exist yet. */
  async function readOrder({ shop }: SessionClaims, request: Request): Promise<RelayContext | undefined> {
    const { order_details } = (await request.json()) as { order_details?: { order_id?: unknown } };
    const number = order_details?.order_id;
    // It comes from the extension, and a colon or a space would change the search.
    if (typeof number !== 'string' || !/^[A-Z0-9]{6,20}$/i.test(number)) return undefined;
    const response = await fetch(`https://${shop}/admin/api/2026-07/graphql.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-shopify-access-token': await accessTokenOf(shop) },
      body: JSON.stringify({ query: QUERY, variables: { filter: `confirmation_number:${number}` } }),
      signal: AbortSignal.timeout(1_500),
    });
    const { data } = (await response.json()) as {
      data?: { orders: { nodes: readonly { email?: string; confirmationNumber?: string }[] } };
    };
    const order = data?.orders.nodes[0];
    return order?.email && order.confirmationNumber === number ? { user_details: { email: order.email } } : undefined;
  }
}
