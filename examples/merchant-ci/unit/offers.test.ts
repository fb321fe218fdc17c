import { setupServer } from 'msw/node';
import { offerletHandlers } from 'offerlet/testing';
import { showOffers } from 'offerlet';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';

const handlers = offerletHandlers({ offers: [{ heading: '20 % off coffee' }] });
const { relay } = handlers;
const server = setupServer(...handlers);

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => relay.reset());
afterAll(() => server.close());

function mount() {
  document.body.innerHTML = '<div id="offers"></div>';
  return showOffers({
    relay: 'https://shop.example/offers',
    target: '#offers',
    request: {
      user_details: { external_guid: 'customer-7' },
      placement_details: { view: 'THANK_YOU', display_mode: 'INLINE' },
    },
  });
}

test('the offer of the relay is on the page, and its load is reported', async () => {
  const offers = mount();
  expect(await offers.outcome).toMatchObject({ code: 'rendered' });
  expect(relay.requests[0]?.user_details).toEqual({ external_guid: 'customer-7' });
  const event = await relay.whenDelivered('WIDGET_LOAD');
  expect(event.session_id).toBe('00000000-0000-4000-8000-000000000001');
  offers.destroy();
});

test('an outage of the network ends in an outcome, not in an error', async () => {
  relay.setScenario('offers-502');
  const offers = mount();
  expect(await offers.outcome).toMatchObject({ code: 'network_error' });
  offers.destroy();
});
