import { expect, test, vi } from 'vitest';

test('importing every browser entry on a server does nothing and touches nothing', async () => {
  const before = Object.keys(globalThis);
  const { showOffers } = await import('../../src/index.ts');
  const { defineElement } = await import('../../src/element.ts');
  await import('../../src/script-tag.ts');
  expect([typeof showOffers, typeof defineElement]).toEqual(['function', 'function']);
  expect(Object.keys(globalThis)).toEqual(before);
});

test('on a server showOffers does not throw, and its outcome says where to call it', async () => {
  const { showOffers } = await import('../../src/index.ts');
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const offers = showOffers({
    relay: '/offers',
    request: { user_details: {}, placement_details: { view: 'THANK_YOU', display_mode: 'OVERLAY' } },
  });
  expect(await offers.outcome).toMatchObject({ code: 'invalid_config', hint: expect.stringMatching(/in the browser/) });
  offers.consent(false);
  offers.dismiss();
  offers.destroy();
  expect(offers.explain()).toMatchObject({ request: undefined, queue: { waiting: 0 } });
  expect(warn).toHaveBeenCalledTimes(1);
  warn.mockRestore();
});
