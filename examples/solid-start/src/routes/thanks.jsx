import { onMount } from 'solid-js';

export default function Thanks() {
  onMount(() => import('offerlet/element'));
  return (
    <main>
      <h1>Thank you for your order</h1>
      <offer-let relay="/offers" view="THANK_YOU" display-mode="INLINE" external-guid="customer-42" order-id="1001" />
    </main>
  );
}
