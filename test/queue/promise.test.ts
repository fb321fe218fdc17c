// The promise of the queue, over random schedules: an event is in exactly one place, whatever happens.
import * as fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { IS_LONG } from '../fixtures/effort.ts';
import type { QueueEvent, SendResponse, StoredEvent } from '../../src/queue/events.ts';
import type { QueueOptions } from '../../src/queue/openCore.ts';
import { openKeyValueQueue } from '../../src/queue/openKeyValueQueue.ts';
import { type Queue, openQueue, publicQueue } from '../../src/queue/openQueue.ts';
import { event, freshStorage, mixed, onDisk } from './world.ts';

type Reply =
  | 'accept'
  | 'mixed'
  | 'final'
  | 'bad request'
  | 'too large'
  | 'forbidden'
  | 'down'
  | 'poison'
  | 'slow down'
  | 'lost'
  | 'refused'
  | 'portal'
  | 'silent';
type Step =
  | { do: 'track'; count: number; isClick: boolean }
  | { do: 'reply'; reply: Reply }
  | { do: 'wait'; ms: number }
  | { do: 'kill' }
  | { do: 'close' }
  | { do: 'flush' }
  | { do: 'purge' }
  | { do: 'leave' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('track' as const),
      count: fc.integer({ min: 1, max: 30 }),
      isClick: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('reply' as const),
      reply: fc.constantFrom<Reply>(
        'accept',
        'mixed',
        'final',
        'bad request',
        'too large',
        'forbidden',
        'down',
        'poison',
        'slow down',
        'lost',
        'refused',
        'portal',
        'silent',
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(10, 300, 700, 2_000, 12_000, 70_000),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ do: 'kill' }, { do: 'close' }, { do: 'flush' }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: 'purge' }) },
);

/** Batches sent so far, by any page. */
let sent = 0;

/**
 * Lets everything that is not waiting for the clock come to rest. A batch that is split and split again takes many turns; a page
 * that was killed before its last one would go on, and hold the lease of the page after it.
 */
async function rest(): Promise<void> {
  for (let quiet = 0, before = sent; quiet < 120; quiet++) {
    await new Promise((done) => setImmediate(done));
    if (sent !== before) quiet = 0;
    before = sent;
  }
}

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 400) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 400));
    await rest();
  }
}

/** A place where queues store their rows, at first empty. */
interface Store {
  open(options: QueueOptions): Queue;
  onDisk(): Promise<{ events: string[]; letters: string[] }>;
}

const STORES: Readonly<Record<string, () => Store>> = {
  IndexedDB() {
    freshStorage();
    return { open: openQueue, onDisk };
  },
  'key-value storage'() {
    const values = new Map<string, string>();
    const storage = {
      getItem: (key: string) => values.get(key),
      setItem: (key: string, value: string) => values.set(key, value),
      removeItem: (key: string) => values.delete(key),
    };
    return {
      open: (options) => publicQueue(openKeyValueQueue(storage, { ...options, startMs: 0 })),
      async onDisk() {
        const journals = [...values].filter(([key]) => / \d$/.test(key)).map(([, text]) => text);
        const rows = journals.flatMap((text) => Object.entries((JSON.parse(text) as { rows: object }).rows));
        const ids = (wanted: (key: string) => boolean): string[] =>
          rows.flatMap(([key, row]) => (wanted(key) ? [(row as { event: StoredEvent }).event.event_id] : []));
        return { events: ids((key) => key > '0' && key < '~'), letters: ids((key) => key > '~') };
      },
    };
  },
};

async function playOne(store: Store, steps: readonly Step[]): Promise<void> {
  const tracked = new Set<string>();
  const atServer = new Set<string>();
  const acknowledged = new Set<string>();
  const dead = new Set<string>();
  const purged = new Set<string>();
  let dropped = 0;
  let broken = '';
  let reply: Reply = 'accept';
  let page = 0;
  // The timers of a page end with it.
  const setTimer = globalThis.setTimeout;
  vi.stubGlobal('setTimeout', (work: () => void, ms: number) => {
    const mine = page;
    return setTimer(() => mine === page && work(), ms);
  });

  function answer(events: readonly StoredEvent[]): SendResponse | Promise<SendResponse> {
    const ids = events.map(({ event_id }) => event_id);
    const accept = (wanted = ids): void => wanted.forEach((id) => atServer.add(id));
    const every = (n: number): string[] => ids.filter((id) => Number(id.slice(1)) % n === 0);
    switch (reply) {
      case 'accept':
        accept();
        return { status: 202 };
      case 'mixed':
      case 'final': {
        const bad = every(3);
        accept(ids.filter((id) => !bad.includes(id)));
        return mixed(ids, Object.fromEntries(bad.map((id) => [id, reply === 'mixed'])));
      }
      case 'bad request':
        if (every(7).length) return { status: 400 };
        accept();
        return { status: 202 };
      case 'too large':
        if (ids.length > 6) return { status: 413 };
        accept();
        return { status: 202 };
      case 'lost':
        accept();
        throw new TypeError('connection reset');
      case 'silent':
        return new Promise(() => {});
      case 'refused':
        throw new TypeError('connection refused');
      case 'poison':
        if (every(9).length) return { status: 500 };
        accept();
        return { status: 202 };
      case 'forbidden':
        return { status: 403 };
      case 'down':
        return { status: 503 };
      case 'slow down':
        return { status: 429, retryAfter: '3' };
      case 'portal':
        return { status: 200, body: '<html>' };
    }
  }

  function open(): Queue {
    const mine = ++page;
    return store.open({
      endpoint: '/events/batch',
      // A page that was killed receives nothing any more.
      send: async (events) => {
        sent += 1;
        const answered = await answer(events);
        return mine === page ? answered : new Promise(() => {});
      },
      onEvent: (event: QueueEvent) => {
        if (event.type === 'delivered') event.eventIds.forEach((id) => acknowledged.add(id));
        if (event.type === 'deadLetter') dead.add(event.event.event_id);
        if (event.type === 'dropped') dropped += event.count;
        if (event.type === 'error') broken = event.reason;
      },
    });
  }

  async function check(): Promise<void> {
    await rest();
    const { events, letters } = await store.onDisk();
    expect(broken).toBe('');
    expect(new Set(events).size).toBe(events.length);
    expect(events.filter((id) => acknowledged.has(id))).toEqual([]);
    expect(events.filter((id) => dead.has(id) || purged.has(id))).toEqual([]);
    expect([...acknowledged].filter((id) => !atServer.has(id) || dead.has(id))).toEqual([]);
    expect(letters.filter((id) => !dead.has(id))).toEqual([]);
    // A full shelf of dead letters drops the oldest, and counts it.
    expect(events.length + acknowledged.size + letters.length + dropped + purged.size).toBe(tracked.size);
  }

  let queue = open();
  for (const now of steps) {
    if (now.do === 'track') {
      const ids = Array.from({ length: now.count }, (_, n) => `e${tracked.size + n}`);
      const { track } = queue;
      const written = Promise.all(ids.map((id) => track(event(id, now.isClick ? { event_name: 'BRAND_CLICK' } : {}))));
      await rest();
      await written;
      ids.forEach((id) => tracked.add(id));
    } else if (now.do === 'reply') reply = now.reply;
    else if (now.do === 'wait') await pass(now.ms);
    else if (now.do === 'purge') {
      const { events, letters } = await store.onDisk();
      void queue.purge();
      await rest();
      [...events, ...letters].forEach((id) => purged.add(id));
    } else if (now.do === 'flush') {
      void queue.flush();
      await pass(1_000);
    } else {
      if (now.do === 'close') void queue.close();
      await rest();
      page++;
      queue = open();
    }
    await check();
  }

  // At the end the server is well again: everything that is not dead or dropped gets there.
  reply = 'accept';
  page++;
  queue = open();
  await pass(400_000);
  await check();
  expect((await store.onDisk()).events).toEqual([]);
  expect([...tracked].filter((id) => !atServer.has(id) && !dead.has(id) && !purged.has(id)).length).toBe(0);
}

async function play(store: Store, steps: readonly Step[]): Promise<void> {
  try {
    await playOne(store, steps);
  } finally {
    vi.unstubAllGlobals();
  }
}

afterEach(() => void vi.useRealTimers());

it.each(Object.keys(STORES))(
  'in %s every event is in exactly one place: on disk, acknowledged, a dead letter or a counted drop',
  async (name) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'], now: Date.UTC(2026, 10, 21) });
    const numRuns = IS_LONG ? 20 : 3;
    const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), (steps) =>
      play(STORES[name]?.() as Store, steps),
    );
    await fc.assert(property, { numRuns, endOnFailure: true });
  },
  600_000,
);
