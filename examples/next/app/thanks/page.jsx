import { Offers } from 'offerlet/react';

// A server component: what it knows about the order goes to the page, except the key. <Offers> is a client component.
export default function Thanks() {
  const request = {
    user_details: { external_guid: 'customer-42' },
    placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    order_details: { order_id: '1001', cost_details: { amount: '42.50', currency_code: 'EUR' } },
  };
  return (
    <main>
      <h1>Thank you for your order</h1>
      <Offers relay="/offers" request={request} className="offers" />
    </main>
  );
}
