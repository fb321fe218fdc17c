import { headers } from 'next/headers';
import { renderOffers } from 'offerlet/html';
import { Offers } from 'offerlet/react';
import { Suspense } from 'react';
import { relay } from '../relay.js';

// Server components: what they know about the order goes to the page, except the key. <Offers> is a client component.
export default function Thanks() {
  return (
    <main>
      <h1>Thank you for your order</h1>
      <Suspense fallback={<div className="offers" />}>
        <Prefetched />
      </Suspense>
    </main>
  );
}

/** The page is streamed at once, and its offers follow in the same response. */
async function Prefetched() {
  const request = {
    user_details: { external_guid: 'customer-42' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    order_details: { order_id: '1001', cost_details: { amount: '42.50', currency_code: 'EUR' } },
  };
  const page = new Request('http://localhost/thanks', { headers: await headers() });
  const offers = await relay.prefetch(page, { ...request, locale: 'en' }); // `lang` of the layout
  const { html } = renderOffers(offers);
  return <Offers relay="/offers" request={request} prefetched={offers?.json} html={html} className="offers" />;
}
