// Consent is given per origin: a withdrawal in one tab stops every other.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { QueueEvent, SendResponse } from '../../src/queue/events.ts';
import { type CoreOptions, openSessionQueue } from '../../src/queue/openCore.ts';
import { openNotedCore } from '../../src/queue/openNotedCore.ts';
import { resumeWithdrawal, withdrawConsent } from '../../src/queue/withdrawal.ts';
import { pageFace, type FacedQueue } from './pageFace.ts';
import { IDBFactory } from 'fake-indexeddb';
import { event, freshStorage, names, onDisk, slowStorage } from './world.ts';
import { letPass, useClock } from '../fixtures/turnedClock.ts';

useClock();

const NAME = 'offerlet-queue /events/batch';
const click = (id: string): ReturnType<typeof event> => event(id, { event_name: 'BRAND_CLICK' });
const databases = async (): Promise<unknown[]> => (await indexedDB.databases()).map(({ name }) => name);

interface Tab extends FacedQueue {
  sent: string[][];
  emitted: QueueEvent[];
  onWithdrawn: ReturnType<typeof vi.fn<() => void>>;
}
const tabs: Tab[] = [];

function openTab(
  answer: () => SendResponse | Promise<SendResponse> = () => ({ status: 503 }),
  more: Partial<CoreOptions> = {},
): Tab {
  const sent: string[][] = [];
  const emitted: QueueEvent[] = [];
  const onWithdrawn = vi.fn<() => void>();
  const queue = openSessionQueue(
    {
      endpoint: '/events/batch',
      send: async (events) => {
        sent.push(events.map(({ event_id }) => event_id));
        return answer();
      },
      onEvent: (now) => void emitted.push(now),
      onWithdrawn,
      ...more,
    },
    openNotedCore,
  );
  const tab = Object.assign(pageFace(queue), { sent, emitted, onWithdrawn });
  tabs.push(tab);
  return tab;
}

function deleteDatabase(): Promise<string> {
  return new Promise((done) => {
    const request = indexedDB.deleteDatabase(NAME);
    request.addEventListener('success', () => done('deleted'));
    request.addEventListener('blocked', () => done('blocked'));
  });
}

/** A response that comes on demand. */
function pending(): { answer: () => Promise<SendResponse>; respond: (answer: SendResponse) => void } {
  let respond: (answer: SendResponse) => void = () => undefined;
  const promise = new Promise<SendResponse>((resolve) => (respond = resolve));
  return { answer: () => promise, respond };
}

beforeEach(() => freshStorage());
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(tabs.splice(0).map((tab) => tab.close()));
  await letPass(50);
});

describe('a withdrawal in another tab', () => {
  it('stops a tab that missed the message at its next write, with nothing left on disk and nothing sent', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    const [frozen, here] = [openTab(), openTab()];
    await frozen.flush();
    await here.withdraw();
    expect(frozen.onWithdrawn).not.toHaveBeenCalled();
    await frozen.track(click('late'));
    await vi.waitFor(() => expect(frozen.onWithdrawn).toHaveBeenCalledTimes(1));
    await letPass(300);
    expect((await onDisk()).keys).toEqual([]);
    expect(frozen.sent).toEqual([]);
  });

  it('stops such a tab before its next request, and before its next note', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    for (const wake of [(tab: Tab) => tab.flush(), (tab: Tab) => tab.notes.update('order', () => 1)]) {
      freshStorage();
      const [frozen, here] = [openTab(), openTab()];
      await frozen.track(event('a'));
      await frozen.flush();
      const before = frozen.sent.length;
      await here.withdraw();
      await wake(frozen);
      expect(frozen.onWithdrawn).toHaveBeenCalledTimes(1);
      await letPass(700);
      expect(frozen.sent).toHaveLength(before);
      expect((await onDisk()).keys).toEqual([]);
    }
  });

  it('stops a tab even if consent was given again meanwhile, and leaves the new queue alone', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    const [frozen, here] = [openTab(), openTab()];
    await frozen.flush();
    await here.withdraw();
    const again = openTab();
    await again.track(event('new'));
    await frozen.track(event('old'));
    await vi.waitFor(() => expect(frozen.onWithdrawn).toHaveBeenCalledTimes(1));
    await letPass(100);
    expect((await onDisk()).events).toEqual(['new']);
    expect(again.onWithdrawn).not.toHaveBeenCalled();
  });

  it('empties and stops the queues of other endpoints', async () => {
    const other = openTab(undefined, { endpoint: '/other' });
    await other.track(event('a'));
    const here = openTab();
    await here.flush();
    await here.withdraw();
    expect((await onDisk('offerlet-queue /other')).keys).toEqual([]);
    await vi.waitFor(() => expect(other.onWithdrawn).toHaveBeenCalledTimes(1));
  });

  it('is noticed even if the database is deleted right after it', async () => {
    vi.stubGlobal('BroadcastChannel', undefined);
    const [frozen, here] = [openTab(), openTab()];
    await frozen.track(event('a'));
    await here.flush();
    await here.withdraw();
    expect(await deleteDatabase()).toBe('deleted');
    await letPass(300);
    expect(frozen.onWithdrawn).toHaveBeenCalledTimes(1);
    expect(await databases()).toEqual([]);
  });
});

describe('a withdrawal here', () => {
  it('resolves only when nothing is left on disk, even with slow storage', async () => {
    slowStorage(1_500);
    const tab = openTab();
    const tracked = tab.track(click('a'));
    await tab.notes.update('order', () => 1);
    await tracked;
    expect(await tab.stats()).toMatchObject({ storage: 'memory' });
    await tab.withdraw();
    vi.restoreAllMocks();
    expect((await onDisk()).keys).toEqual([]);
    await letPass(2_000);
    expect((await onDisk()).keys).toEqual([]);
  });

  it('lets a consent tool delete the database, which is not created again', async () => {
    for (const end of [(tab: Tab) => tab.withdraw(), (tab: Tab) => tab.close()]) {
      freshStorage();
      const { answer, respond } = pending();
      const tab = openTab(answer);
      await tab.track(click('a'));
      await vi.waitFor(() => expect(tab.sent).toHaveLength(1));
      void end(tab);
      expect(await deleteDatabase()).toBe('deleted');
      respond({ status: 503 });
      await letPass(1_500);
      expect(await databases()).toEqual([]);
      expect(tab.onWithdrawn).not.toHaveBeenCalled();
    }
  });

  it('empties what a closed queue still has to write to slow storage', async () => {
    slowStorage(800);
    const tab = openTab();
    void tab.track(click('a'));
    void tab.close();
    await withdrawConsent('/events/batch');
    await letPass(2_000);
    vi.restoreAllMocks();
    expect((await onDisk()).keys).toEqual([]);
  });

  it('has left its mark when what it has dropped is reported', async () => {
    const marks: unknown[] = [];
    const onEvent = ({ type }: QueueEvent): unknown =>
      type === 'dropped' && marks.push(localStorage.getItem('offerlet-consent')?.[0]);
    const tab = openTab(undefined, { onEvent });
    await tab.track(click('a'));
    await tab.withdraw();
    expect(marks).toEqual(['-']);
  });

  it('leaves no database and no mark where nothing was stored', async () => {
    const marked = vi.spyOn(localStorage, 'setItem');
    await withdrawConsent('/events/batch');
    expect(await databases()).toEqual([]);
    expect(marked).not.toHaveBeenCalled();
  });

  it.each(['nothing', 'something'])(
    'clears late what was stored before it, %s, but nothing after it',
    async (stored) => {
      if (stored === 'something') {
        const earlier = openTab();
        await earlier.track(click('before'));
        await earlier.close();
      }
      const { databases: list } = IDBFactory.prototype;
      let listed = 0;
      // Each mount clears for itself, and one of them later than another.
      vi.spyOn(indexedDB, 'databases').mockImplementation(async () => {
        await letPass(listed++ % 2 ? 400 : 800);
        return list.call(indexedDB);
      });
      const [withdrawn, resumed] = [withdrawConsent('/events/batch'), resumeWithdrawal()];
      const later = openTab();
      await later.track(click('after'));
      await Promise.all([withdrawn, resumed]);
      await later.track(click('later'));
      expect((await onDisk()).events).toEqual(['after', 'later']);
      expect(later.onWithdrawn).not.toHaveBeenCalled();
      expect(localStorage.getItem('offerlet-consent')).toMatch(/^\+/);
    },
  );

  it('works where a BroadcastChannel is refused', async () => {
    vi.stubGlobal('BroadcastChannel', function refuse() {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    });
    const tab = openTab();
    await tab.track(event('a'));
    await tab.withdraw();
    expect((await onDisk()).keys).toEqual([]);
  });

  it('resolves without storage', async () => {
    vi.stubGlobal('indexedDB', undefined);
    const tab = openTab();
    await tab.track(event('a'));
    await tab.withdraw();
    expect(await tab.stats()).toMatchObject({ inMemory: 0 });
  });
});

describe('what is not a withdrawal', () => {
  it('a deleted database: each tab writes its own events again', async () => {
    const [one, two] = [openTab(), openTab()];
    await Promise.all([one.track(event('a')), two.track(event('b'))]);
    await one.notes.update('order', () => 1);
    await deleteDatabase();
    await vi.waitFor(async () => expect((await onDisk()).events.sort()).toEqual(['a', 'b']));
    expect(await one.notes.read('order')).toBe(1);
    await Promise.all([one.track(event('c')), two.track(event('d'))]);
    expect((await onDisk()).events.sort()).toEqual(['a', 'b', 'c', 'd']);
    for (const tab of [one, two]) expect(tab.onWithdrawn).not.toHaveBeenCalled();
  });

  it('a purge: events in flight in another tab are not stored again, later events are', async () => {
    for (const status of [207, 503, 0]) {
      freshStorage();
      const { answer, respond } = pending();
      const [other, here] = [openTab(answer), openTab()];
      await other.track(click('a'));
      await vi.waitFor(() => expect(other.sent).toHaveLength(1));
      await here.purge();
      respond({ status, body: { results: [{ index: 0, success: false }] } });
      await letPass(100);
      expect((await onDisk()).events).toEqual([]);
      await Promise.all([other.track(event('b')), here.track(event('c'))]);
      expect((await onDisk()).events.sort()).toEqual(['b', 'c']);
      await other.flush();
      expect(other.sent.slice(1).flat()).not.toContain('a');
      for (const tab of [other, here]) expect(tab.onWithdrawn).not.toHaveBeenCalled();
    }
  });
});

it('a purge resolves only when nothing is left on disk, even with slow storage', async () => {
  for (const wait of [0, 1_200]) {
    freshStorage();
    slowStorage(2_000);
    const tab = openTab();
    void tab.track(event('a'));
    void tab.notes.update('order', () => 1);
    await letPass(wait);
    const opened = vi.spyOn(IDBObjectStore.prototype, 'clear');
    await tab.purge();
    expect(opened).toHaveBeenCalled();
    vi.restoreAllMocks();
    expect((await onDisk()).events).toEqual([]);
    await tab.track(event('later'));
    await vi.waitFor(async () => expect((await onDisk()).events).toEqual(['later']));
    expect((await onDisk()).keys.filter((key) => key > '~')).toEqual([]);
  }
});

it('a closed queue closes its connection and rejects new events', async () => {
  const opened: IDBDatabase[] = [];
  const { transaction } = IDBDatabase.prototype;
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function watch(this: IDBDatabase, ...given) {
    if (!opened.includes(this)) opened.push(this);
    return transaction.apply(this, given);
  });
  const closed = vi.spyOn(IDBDatabase.prototype, 'close');
  for (const id of names(20)) {
    const tab = openTab(() => ({ status: 202 }));
    await tab.track(event(id));
    await tab.flush();
    await tab.close();
    await expect(tab.track(event('late'))).rejects.toThrow('closed');
  }
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(20));
  for (const db of opened) expect([db.onclose, db.onversionchange]).toEqual([null, null]);
});

it('a queue whose storage fails as it closes does not open it again', async () => {
  const open = vi.spyOn(indexedDB, 'open').mockImplementation(() => {
    throw new DOMException('', 'UnknownError');
  });
  const tab = openTab();
  void tab.track(event('a'));
  await tab.close();
  await letPass(50);
  open.mockClear();
  await tab.stats();
  expect(open).not.toHaveBeenCalled();
});
