import { StrictMode, useSyncExternalStore } from 'react';
import { createRoot } from 'react-dom/client';
import { Offers } from 'offerlet/react';
import './shop.css';

const request = {
  user_details: { external_guid: 'customer-42' },
  placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
  order_details: { order_id: '1001', cost_details: { amount: '42.50', currency_code: 'EUR' } },
};

function onRoute(listener) {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

function Shop() {
  const route = useSyncExternalStore(onRoute, () => location.hash);
  if (route !== '#/thanks') return <a href="#/thanks">Place the order</a>;
  return (
    <main>
      <h1>Thank you for your order</h1>
      <Offers relay="/offers" request={request} className="offers" />
    </main>
  );
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <Shop />
  </StrictMode>,
);
