import { afterEach, describe, expect, test, vi } from 'vitest';
import { openKeyValueQueue } from '../../src/queue/openKeyValueQueue.ts';
import { clearKeyValues, type KeyValueStorage, newKeyValueConsent } from '../../src/queue/openKeyValueDatabase.ts';
import type { QueueEvent, SendResponse } from '../../src/queue/events.ts';
import { pageFace, type FacedQueue } from './pageFace.ts';
import { event, names } from './world.ts';

afterEach(() => void vi.useRealTimers());

/** Waits longer than the backoff that an earlier session may have stored. */
const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check);

/** One process on a device: its storage calls take effect some time after they are made, or never once it is killed. */
interface Process extends KeyValueStorage {
  kill(): void;
}

function start(values: Map<string, string>, ms: () => number = () => 0): Process {
  let isDead = false;
  const later = (): Promise<void> => new Promise((resolve) => setTimeout(() => isDead || resolve(), ms()));
  const run = async <T>(work: () => T): Promise<T> => {
    await later();
    const result = work();
    await later();
    return result;
  };
  return {
    getItem: (key) => run(() => values.get(key) ?? null),
    setItem: (key, value) => run(() => void values.set(key, value)),
    removeItem: (key) => run(() => void values.delete(key)),
    kill: () => void (isDead = true),
  };
}

interface Opened extends FacedQueue {
  sent: string[];
  emitted: QueueEvent[];
  withdrawn: number;
}

const DOWN = (): never => {
  throw Error('down');
};
const ACCEPT = (): SendResponse => ({ status: 202 });

function open(storage: KeyValueStorage, answer: () => SendResponse | Promise<SendResponse> = ACCEPT): Opened {
  const opened: Pick<Opened, 'sent' | 'emitted' | 'withdrawn'> = { sent: [], emitted: [], withdrawn: 0 };
  const queue = openKeyValueQueue(storage, {
    endpoint: '/events/batch',
    async send(events) {
      const response = await answer();
      opened.sent.push(...events.map(({ event_id }) => event_id));
      return response;
    },
    onEvent: (one) => void opened.emitted.push(one),
    onWithdrawn: () => void opened.withdrawn++,
  });
  return Object.assign(opened, pageFace(queue));
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('sessions at the same time never write the same key', async () => {
  let seed = 1;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let round = 0; round < 60; round++) {
    const values = new Map<string, string>();
    const delivered = new Set<string>();
    const promised: string[] = [];
    const processes = [1, 2, 3].map((number) => {
      const device = start(values, () => random() * 4);
      const queue = open(device, random() < 0.7 ? DOWN : ACCEPT);
      for (const count of [1, 2, 3])
        void pause(random() * 30)
          .then(() => queue.track(event(`${round}-${number}-${count}`)))
          .then(
            () => promised.push(`${round}-${number}-${count}`),
            () => 'closed',
          );
      return { device, queue };
    });
    await pause(random() * 40);
    for (const { device, queue } of processes) {
      device.kill();
      for (const id of queue.sent) delivered.add(id);
    }
    const expected = [...promised];
    const last = open(start(values));
    await eventually(() => expect(expected.filter((id) => !delivered.has(id) && !last.sent.includes(id))).toEqual([]));
    expect(new Set(last.sent).size).toBe(last.sent.length);
    for (const { queue } of processes) void queue.close();
    await last.close();
  }
});

test('rows of a session that is long gone are taken over, and its slot is used again', async () => {
  const values = new Map<string, string>();
  vi.useFakeTimers({ toFake: ['Date'] });
  for (let launch = 0; launch < 5; launch++) {
    const device = start(values);
    const queue = open(device, DOWN);
    await queue.track(event(`launch-${launch}`));
    await eventually(() => expect([...values.keys()].filter((key) => /\d$/.test(key)).length).toBeLessThan(3));
    device.kill();
    vi.setSystemTime(Date.now() + 2 * 3_600_000);
  }
  expect([...values.keys()].filter((key) => /\d$/.test(key)).length).toBeLessThan(3);
  const last = open(start(values));
  await eventually(() => expect(last.sent.toSorted()).toEqual([0, 1, 2, 3, 4].map((launch) => `launch-${launch}`)));
  await last.close();
  await eventually(() => expect([...values.keys()].filter((key) => !key.endsWith('?'))).toEqual([]));
});

test('a session that slept for hours goes on in a separate slot', async () => {
  const values = new Map<string, string>();
  vi.useFakeTimers({ toFake: ['Date'] });
  const first = start(values);
  const sleeper = open(first, DOWN);
  await sleeper.track(event('before'));
  vi.setSystemTime(Date.now() + 5 * 3_600_000);
  const second = start(values);
  const other = open(second, DOWN);
  await other.track(event('meanwhile'));
  await sleeper.track(event('after'));
  expect(sleeper.withdrawn).toBe(0);
  first.kill();
  second.kill();
  // The clock is otherwise stopped, and the backoff of a failure would never end.
  vi.setSystemTime(Date.now() + 60_000);
  const last = open(start(values));
  await eventually(() => expect(last.sent.toSorted()).toEqual(['after', 'before', 'meanwhile']));
});

test('another session that withdraws consent stops this one, and nothing is left', async () => {
  const values = new Map<string, string>();
  const [one, two] = [open(start(values), DOWN), open(start(values), DOWN)];
  await Promise.all([one.track(event('1')), two.track(event('2'))]);
  await two.withdraw();
  expect([...values.keys()]).toEqual([]);
  await one.track(event('3')).catch(() => {});
  await eventually(() => expect(one.withdrawn).toBe(1));
  await pause(50);
  expect([...values.keys()]).toEqual([]);
  const count = one.emitted.filter(({ type }) => type === 'tracked').length;
  expect(one.emitted).toContainEqual({ type: 'dropped', count, reason: 'withdrawn' });
});

test('a withdrawal while a write is on its way leaves nothing', async () => {
  for (let ms = 0; ms < 30; ms += 3) {
    const values = new Map<string, string>();
    const queue = open(
      start(values, () => 2),
      DOWN,
    );
    void queue.track(event('1'));
    await pause(ms);
    await queue.withdraw();
    await pause(30);
    expect([...values.keys()]).toEqual([]);
  }
});

test('a withdrawal during a write is noticed by the next one, even if consent was given again at once', async () => {
  const values = new Map<string, string>();
  const storage = start(values);
  const queue = open(storage, DOWN);
  await queue.track(event('1'));
  const mark = [...values.keys()].find((key) => key.endsWith('?')) ?? '';
  const { setItem } = storage;
  storage.setItem = async (key, value) => {
    storage.setItem = setItem;
    await setItem(key, value);
    await clearKeyValues(storage, mark.slice(0, -1));
  };
  await queue.track(event('2'));
  values.set(mark, newKeyValueConsent());
  void queue.track(event('3')).catch(() => {});
  await eventually(() => expect(queue.withdrawn).toBe(1));
});

/** Has the next write wait until the returned function is called. */
function holdWrite(storage: Process): () => void {
  const { setItem } = storage;
  let release: (() => void) | undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  storage.setItem = async (key, value) => {
    storage.setItem = setItem;
    await held;
    return setItem(key, value);
  };
  return () => release?.();
}

test('a write that ends after a withdrawal leaves nothing', async () => {
  const values = new Map<string, string>();
  const storage = start(values);
  const queue = open(storage, DOWN);
  const release = holdWrite(storage);
  await queue.track(event('1'));
  const withdrawn = queue.withdraw();
  await Promise.race([withdrawn, pause(1_500)]);
  release();
  await withdrawn;
  await pause(50);
  expect([...values.keys()]).toEqual([]);
});

test('a note that is changed while storage does not respond is stored once it does', async () => {
  const storage = start(new Map<string, string>());
  const { notes, track } = open(storage, DOWN);
  await notes.update('order', () => ['seen']);
  const release = holdWrite(storage);
  await track(event('1'));
  await notes.update('order', (before) => [...(before as string[]), 'closed']);
  release();
  await eventually(async () => expect(await open(storage).notes.read('order')).toEqual(['seen', 'closed']));
});

test('what two sessions of one app write into a note at once is all there', async () => {
  const values = new Map<string, string>();
  const storage = start(values, () => Math.random() * 3);
  const sessions = [open(storage), open(storage)];
  const add = (mark: string) => (before: unknown) => [...((before ?? []) as string[]), mark].sort();
  for (const mark of ['load', 'seen', 'closed'])
    await Promise.all(sessions.map(({ notes }, at) => notes.update('order', add(`${mark} ${at}`))));
  expect(await open(start(values)).notes.read('order')).toHaveLength(6);
});

test('a session that begins during a withdrawal is cleared as well', async () => {
  const values = new Map(['q?', 'q 0', 'q 0!'].map((key) => [key, 'x']));
  const storage = start(values);
  const { removeItem } = storage;
  storage.removeItem = (key) => {
    if (key === 'q 7!') {
      values.set('q?', 'x').set('q 2!', 'x').set('q 2', 'x');
      storage.removeItem = removeItem;
    }
    return removeItem(key);
  };
  await clearKeyValues(storage, 'q');
  expect([...values.keys()]).toEqual([]);
});

describe('storage that', () => {
  const broken = (more: Partial<KeyValueStorage>): KeyValueStorage => ({ ...start(new Map()), ...more });
  const fail = async (): Promise<never> => {
    throw Error('QuotaExceededError');
  };
  const cases: [name: string, storage: KeyValueStorage][] = [
    ['rejects writes', broken({ setItem: fail })],
    ['rejects reads', broken({ getItem: fail })],
    [
      'throws',
      broken({
        getItem() {
          throw Error('no');
        },
        setItem() {
          throw Error('no');
        },
      }),
    ],
    ['hangs', broken({ getItem: () => new Promise(() => {}), setItem: () => new Promise(() => {}) })],
    ['forgets', broken({ getItem: () => null })],
    ['returns something else', broken({ getItem: () => ({ a: 1 }) as unknown as string })],
    ['returns garbage', broken({ getItem: () => '{"at":' })],
  ];
  test.each(cases)('%s: events are delivered from memory, and it is reported once', async (_, storage) => {
    const queue = open(storage);
    await queue.track(event('a'));
    await eventually(() => expect(queue.sent).toEqual(['a']));
    await queue.track(event('b'));
    await eventually(() => expect(queue.sent).toEqual(['a', 'b']));
    expect(queue.emitted.filter(({ type }) => type === 'error')).toHaveLength(1);
    await eventually(async () =>
      expect(await queue.stats()).toMatchObject({ storage: 'memory', inMemory: 0, delivered: 2 }),
    );
    expect(queue.withdrawn).toBe(0);
    await queue.close();
  });

  test('is full for a while: what was in memory is written later, and what a sweep drops of earlier sessions is counted', async () => {
    const values = new Map<string, string>();
    const first = start(values);
    const earlier = open(first, DOWN);
    await Promise.all(names(1_000).map((id) => earlier.track(event(id))));
    first.kill();
    let isFull = false;
    const device = start(values);
    const queue = open({ ...device, setItem: (key, value) => (isFull ? fail() : device.setItem(key, value)) }, DOWN);
    expect(await queue.stats()).toMatchObject({ onDisk: 1_000 });
    isFull = true;
    await Promise.all(names(60).map((id) => queue.track(event(`click ${id}`, { event_name: 'BRAND_CLICK' }))));
    isFull = false;
    await queue.track(event('b'));
    const { dropped } = await queue.stats();
    device.kill();
    expect((await open(start(values), DOWN).stats()).onDisk + dropped).toBe(1_061);
  });

  test('holds garbage or foreign values delivers as usual', async () => {
    const values = new Map<string, string>();
    const key = 'offerlet-queue /events/batch 0';
    values
      .set(`${key}?`, 'x')
      .set(`${key}!`, 'x')
      .set(key, '{"at":1e99,"rows":{"0":{"event":null},"1":7},"settled":[{}]}');
    const queue = open(start(values));
    await queue.track(event('a'));
    await eventually(() => expect(queue.sent).toEqual(['a']));
    await queue.close();
  });
});
