import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { renderOffers } from 'offerlet/html';
import { createRelay, toNode } from 'offerlet/relay';

const relay = toNode(
  createRelay({
    apiKey: process.env.OFFERLET_API_KEY,
    networkUrl: process.env.OFFERLET_NETWORK,
    version: '1.0.0',
    basePath: '/offers',
    sandbox: process.env.OFFERLET_SANDBOX === 'true',
  }),
);
const script = readFileSync(fileURLToPath(import.meta.resolve('offerlet/offerlet.js')));

/** The page requests nothing: its offers are in its HTML, and the first is seen before the script comes. */
async function thankYou(request) {
  const offers = await relay.prefetch(request, {
    locale: 'en',
    user_details: { external_guid: 'customer-42' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    order_details: { order_id: '1001', cost_details: { amount: '42.50', currency_code: 'EUR' } },
  });
  return `<!doctype html>
<html lang="en">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/shop.css">
<title>Thank you</title>
<h1>Thank you for your order</h1>
<div id="offers" class="offers">${renderOffers(offers).html}</div>
${offers?.script ?? ''}
<script async src="/offerlet.js" data-relay="/offers" data-target="#offers" data-view="THANK_YOU"
  data-display-mode="INLINE" data-external-guid="customer-42" data-order-id="1001"></script>`;
}

createServer((request, response) => {
  const send = (type, body) => response.setHeader('content-type', type).end(body);
  if (request.url.startsWith('/offers/')) return relay(request, response);
  if (request.url === '/offerlet.js') return send('text/javascript', script);
  if (request.url === '/shop.css')
    return send('text/css', '.offers { min-block-size: max(390px, min(570px, (700px - 100vw) * 999)) }');
  if (request.url === '/')
    return send(
      'text/html',
      '<!doctype html><html lang="en"><link rel="icon" href="data:,"><a href="/thanks">Place the order</a>',
    );
  response.setHeader('cache-control', 'private, no-store'); // the block is for one shopper
  void thankYou(request).then((html) => send('text/html; charset=utf-8', html));
}).listen(process.env.PORT);
