import { Offers } from 'offerlet/react';
import '../shop.css';

export default function ThankYou() {
  return (
    <main>
      <h1>Thank you for your order</h1>
      <Offers
        className="offers"
        relay="/offers"
        request={{
          placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
          user_details: { external_guid: 'customer-42' },
          order_details: { order_id: '1001' },
        }}
      />
    </main>
  );
}
