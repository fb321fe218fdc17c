import { expect, vi } from 'vitest';
import type { StoredEvent } from '../../src/queue/events.ts';
import type { KeyValueStorage } from '../../src/queue/openKeyValueDatabase.ts';
import { openSession, type Session, type SessionEvent, type SessionOptions } from '../../src/session/openSession.ts';
import type { DisplayMode } from '../../src/wire/offers/request.ts';
import { offersOf } from '../line/page/pageFixture.ts';
import { letPass } from '../fixtures/turnedClock.ts';

/** A relay in this process. It records what arrives, and responds as a test says. */
export interface TestRelay {
  fetch: typeof globalThis.fetch;
  /** The bodies of the requests for offers. */
  asked: unknown[];
  headers: Headers[];
  /** Every event of every batch that was accepted, duplicates included. */
  events: StoredEvent[];
  names(): string[];
  offers: () => Response | Promise<Response>;
  batch: (events: readonly StoredEvent[]) => Response | Promise<Response>;
}

export function startRelay(count = 2): TestRelay {
  const relay: TestRelay = {
    asked: [],
    headers: [],
    events: [],
    names: () => relay.events.map(({ event_name }) => event_name),
    offers: () => Response.json(offersOf(count)),
    batch: () => new Response(null, { status: 202 }),
    async fetch(url, init) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      relay.headers.push(new Headers(init?.headers));
      const body = JSON.parse(init?.body as string) as { events: StoredEvent[] };
      if ((url as string).endsWith('/recommendations')) {
        relay.asked.push(body);
        return relay.offers();
      }
      const response = await relay.batch(body.events);
      if (response.status === 202) relay.events.push(...body.events);
      return response;
    },
  };
  return relay;
}

export const HASH = 'a'.repeat(64);

/** A session whose events are written down. */
export function open(
  relay: TestRelay,
  more: Partial<SessionOptions> & { mode?: DisplayMode; order?: string } = {},
): Session & { emitted: SessionEvent[] } {
  const emitted: SessionEvent[] = [];
  const { mode = 'INLINE', order, ...options } = more;
  const session = openSession({
    relay: 'https://shop.example/offers',
    request: {
      user_details: { email_hash: HASH },
      placement_details: { view: 'THANK_YOU', display_mode: mode },
      ...(order && { order_details: { order_id: order } }),
    },
    fetch: relay.fetch,
    onEvent: (event) => void emitted.push(event),
    ...options,
  });
  return Object.defineProperties(
    { emitted } as Session & { emitted: SessionEvent[] },
    Object.getOwnPropertyDescriptors(session),
  );
}

/** Key-value storage of a device. `fails`: what every call of a kind throws. */
export interface Device extends KeyValueStorage {
  values: Map<string, string>;
  fails: Partial<Record<keyof KeyValueStorage, Error>>;
  /** Milliseconds that a call takes. */
  ms: () => number;
}

export function device(isAsync = true): Device {
  const values = new Map<string, string>();
  function run<T>(kind: keyof KeyValueStorage, work: () => T): T | Promise<T> {
    const { fails, ms } = storage;
    const act = (): T => {
      if (fails[kind]) throw fails[kind];
      return work();
    };
    return isAsync ? new Promise<void>((resolve) => setTimeout(resolve, ms())).then(act) : act();
  }
  const storage: Device = {
    values,
    fails: {},
    ms: () => 0,
    getItem: (key) => run('getItem', () => values.get(key) ?? null),
    setItem: (key, value) => run('setItem', () => void values.set(key, value)),
    removeItem: (key) => run('removeItem', () => void values.delete(key)),
  };
  return storage;
}

/** Waits until the relay has the events, and nothing more comes. */
export async function settled(relay: TestRelay, names: string[]): Promise<void> {
  await vi.waitFor(() => expect(relay.names()).toEqual(names));
  await letPass(300);
  expect(relay.names()).toEqual(names);
}

export const only = <T>(value: T | undefined): T => {
  if (value === undefined) throw Error('missing');
  return value;
};
