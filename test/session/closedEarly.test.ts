import { describe, expect, test, vi } from 'vitest';
import { checkOptions } from '../../src/session/checkOptions.ts';
import { openOfferSession, type OfferSession } from '../../src/session/offerSession.ts';
import { openTrace, outcome } from '../../src/session/openTrace.ts';
import type { OrderStore } from '../../src/session/orderMemory.ts';
import { keyValueStorage, type SessionStorage } from '../../src/session/sessionStorage.ts';
import { device, startRelay } from './sessionWorld.ts';
import { letPass, useClock } from '../fixtures/turnedClock.ts';

useClock();

/** Opens a session of one order, and writes its outcomes down. */
function open(consent: unknown, storage: SessionStorage): { session: OfferSession; codes: string[] } {
  const trace = openTrace();
  const codes: string[] = [];
  trace.subscribe((event) => event.type === 'outcome' && codes.push(event.code));
  const options = {
    relay: 'https://shop.example/offers',
    request: {
      user_details: { external_guid: '7' },
      placement_details: { view: 'THANK_YOU', display_mode: 'OVERLAY' },
      order_details: { order_id: '1' },
    },
    fetch: startRelay(1).fetch,
    consent,
  };
  const session = openOfferSession(checkOptions(options), {
    trace,
    storage,
    async show({ find }, signal) {
      const found = await find(signal, { find: () => [], isComing: () => false });
      const offers = 'code' in found ? found : found.load();
      return 'code' in offers ? offers : { offers, outcome: outcome('rendered', 'There is 1 offer') };
    },
  });
  return { session, codes };
}

/** Storage of one device: it takes time, or has orders in `localStorage`, which takes none. */
const DEVICES = {
  'key-value storage': (storage = device()) => {
    storage.ms = () => 3;
    return { storage, stored: keyValueStorage(storage) };
  },
  localStorage: (storage = device()) => {
    const { values } = storage;
    const read = (key: string): unknown => JSON.parse(values.get(key) ?? 'null');
    const update: OrderStore['update'] = (key, change) => void values.set(key, JSON.stringify(change(read(key))));
    return {
      storage,
      stored: {
        ...keyValueStorage(storage),
        orders: () => ({ read, update, sweep() {} }),
        clearOrders: () => values.clear(),
      },
    };
  },
};

describe.each(Object.keys(DEVICES) as (keyof typeof DEVICES)[])('with %s', (kind) => {
  // How far the session is: its first task, or some of its promises later. The order is not identified yet.
  test.each([1, 2, 5])(
    'a session that ends as soon as it was closed is closed for the next page: %i',
    async (steps) => {
      const { storage, stored } = DEVICES[kind]();
      const { session, codes } = open(true, stored);
      for (let step = 0; step < steps; step++) await Promise.resolve();
      session.dismiss('page');
      session.destroy();
      await letPass(1_000);
      expect(codes).toEqual(['dismissed']);
      const next = open(true, DEVICES[kind](storage).stored);
      await vi.waitFor(() => expect(next.codes).toEqual(['already_shown']));
      next.session.destroy();
    },
  );

  // In the task of the call there is no consent, whatever the option says, and nothing that a shopper could have closed.
  test.each([undefined, true])('nothing is closed, or stored, before there is consent: %s', async (consent) => {
    const { storage, stored } = DEVICES[kind]();
    const { session, codes } = open(consent, stored);
    session.dismiss('page');
    session.destroy();
    await letPass(1_000);
    expect([codes, storage.values.size]).toEqual([['destroyed'], 0]);
  });

  test('what was closed is forgotten if consent is denied before the order is identified', async () => {
    const { storage, stored } = DEVICES[kind]();
    const { session } = open(true, stored);
    await Promise.resolve();
    session.dismiss('page');
    session.consent(false);
    session.destroy();
    await letPass(1_000);
    expect([...storage.values.values()].join()).not.toContain('closed');
  });
});
