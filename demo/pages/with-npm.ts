// The npm import on a page: what a merchant's own bundle does.
import { showOffers } from 'offerlet';

interface Order {
  view: 'THANK_YOU';
  display_mode: 'INLINE';
  locale: string;
  email_hash: string;
  order_id: string;
  amount: string;
  widget_id: string;
}

const order = JSON.parse(document.querySelector<HTMLElement>('script[data-order]')?.dataset.order ?? '{}') as Order;

showOffers({
  relay: '/offers',
  target: '#offers',
  locale: order.locale,
  request: {
    user_details: { email_hash: order.email_hash },
    placement_details: { view: order.view, display_mode: order.display_mode, widget_id: order.widget_id },
    order_details: { order_id: order.order_id, cost_details: { amount: order.amount, currency_code: 'EUR' } },
  },
});
