import { webcrypto } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { QUEUE_PREFIX } from '../../src/queue/rows.ts';
import { clearOrders } from '../../src/session/orderMemory.ts';
import { device, only, open, settled, startRelay, type Device } from './sessionWorld.ts';
import { useClock } from '../fixtures/turnedClock.ts';

useClock();

describe.each([true, false])('with asynchronous storage: %s', (isAsync) => {
  const openStorage = (): Device => device(isAsync);

  test.each([true, false])('the same order shows the same offers and counts once; subtle: %s', async (hasSubtle) => {
    const { randomUUID } = crypto;
    if (!hasSubtle) vi.stubGlobal('crypto', { randomUUID: () => randomUUID.call(webcrypto) });
    const relay = startRelay(1);
    const storage = openStorage();
    const first = open(relay, { storage, order: '7' });
    first.displayed(only((await first.result).groups[0]?.offers[0]));
    await settled(relay, ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY']);
    first.destroy();
    const second = open(relay, { storage, order: '7' });
    expect(await second.result).toMatchObject({ code: 'offers', isRemembered: true });
    second.displayed(only((await second.result).groups[0]?.offers[0]));
    await settled(relay, ['WIDGET_LOAD', 'WIDGET_DISPLAY', 'BRAND_DISPLAY']);
    expect(relay.asked).toHaveLength(1);
    second.destroy();
    const other = open(relay, { storage, order: '8' });
    expect(await other.result).toMatchObject({ isRemembered: false });
    other.destroy();
    expect([...storage.values.values()].join()).not.toContain('a'.repeat(64));
  });

  test('a load whose report was lost before it was stored is reported by the next visit, as the same event', async () => {
    const relay = startRelay(1);
    const storage = openStorage();
    const first = open(relay, { storage, order: '7' });
    await first.result;
    await settled(relay, ['WIDGET_LOAD']);
    first.destroy();
    // What a page that was killed between the response and its report leaves behind.
    for (const [key, value] of storage.values)
      storage.values.set(key, value.replace(/("response":.*"seen":)\[.*?\]/, '$1[]'));
    const second = open(relay, { storage, order: '7' });
    expect(await second.result).toMatchObject({ isRemembered: true });
    await settled(relay, ['WIDGET_LOAD', 'WIDGET_LOAD']);
    expect(new Set(relay.events.map(({ event_id }) => event_id)).size).toBe(1);
    second.destroy();
  });

  test.each([true, false])(
    'an overlay that was closed, even before it was there, is not shown again: %s',
    async (is) => {
      const relay = startRelay(1);
      const storage = openStorage();
      const first = open(relay, { storage, order: '7', mode: 'OVERLAY' });
      await (is ? first.result : vi.waitFor(() => expect(relay.asked).toHaveLength(1)));
      first.dismiss('escape');
      // Whoever hears of it may destroy the session in the same task.
      first.destroy();
      const stored = (): string => [...storage.values.values()].join();
      await vi.waitFor(() => expect(stored()).toContain('closed'));
      const second = open(relay, { storage, order: '7', mode: 'OVERLAY' });
      expect(await second.result).toMatchObject({ code: 'already_shown', groups: [] });
      second.destroy();
    },
  );
});

test('offers on a page leave a session’s memory in localStorage alone', async () => {
  const storage = device(false);
  const session = open(startRelay(1), { storage, order: '7' });
  await session.result;
  const before = [...storage.values.keys()];
  expect(before.some((key) => key.includes('orders'))).toBe(true);
  const local = Object.assign(Object.fromEntries(storage.values), { removeItem: vi.fn() });
  vi.stubGlobal('localStorage', local);
  clearOrders();
  expect(local.removeItem).not.toHaveBeenCalled();
  // A denial for the page clears what begins so.
  expect(before.every((key) => key.startsWith(QUEUE_PREFIX))).toBe(true);
  session.destroy();
});
