// @vitest-environment happy-dom
import { setupServer } from 'msw/node';
import { showOffers, type Mount } from 'offerlet';
import { offerletHandlers } from 'offerlet/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { DISPLAY_MODES, type DisplayMode } from '../../src/wire/offers/request.ts';

// What docs/guides/testing.md says about simulated browsers.

const handlers = offerletHandlers({ offers: 1 });
const { relay } = handlers;
const server = setupServer(...handlers);
let offers: Mount | undefined;

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  offers?.destroy();
  relay.reset();
});
afterAll(() => server.close());

function mount(display_mode: DisplayMode): Mount {
  document.body.innerHTML = '<div id="offers"></div>';
  const placement_details = { view: 'THANK_YOU', display_mode } as const;
  const request = { user_details: { external_guid: 'customer-7' }, placement_details };
  return (offers = showOffers({ relay: 'https://shop.example/offers', target: '#offers', request }));
}

test.each(DISPLAY_MODES)('%s offers are in the document of happy-dom, and their load is delivered', async (mode) => {
  expect(await mount(mode).outcome).toMatchObject({ code: 'rendered' });
  expect(await relay.whenDelivered('WIDGET_LOAD')).toMatchObject({ session_id: expect.stringMatching(/0001$/) });
});

test('what needs a layout is reported as impossible', async () => {
  await mount('INLINE').outcome;
  await expect(relay.whenDelivered('BRAND_VIEW', {}, { timeout: 10 })).rejects.toThrow('happy-dom has no layout');
});

test('outages end in an outcome', async () => {
  relay.setScenario('offers-502');
  expect(await mount('INLINE').outcome).toMatchObject({ code: 'network_error' });
});
