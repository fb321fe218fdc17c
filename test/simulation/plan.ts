import { DAY_MS } from '../../src/wire/utcDates.ts';
import { DATABASE_FAULTS, type DatabaseFault } from './network.ts';
import { REDIS_FAULTS, type RedisFault } from './redis.ts';
import { WIRE_FAULTS, type Link, type WireFault } from './wire.ts';
import { World } from './world.ts';

/** What a shopper does with an offer, or with all of them. */
const ACTS = ['displayed', 'viewed', 'accept', 'decline', 'next', 'footer', 'everything'] as const;
export type Act = (typeof ACTS)[number];

/** What happens to a page. */
const PAGE_EVENTS = ['hide', 'show', 'online', 'leave', 'destroy', 'dismiss', 'deny', 'allow'] as const;
export type PageEvent = (typeof PAGE_EVENTS)[number];

export const STORES = ['memory', 'file', 'redis'] as const;
export type StoreKind = (typeof STORES)[number];

/** Whose clock somebody sets. */
export type Clock = number | 'relay' | 'network';

/** A tab of a device. */
interface Place {
  readonly device: number;
  readonly tab: number;
}

/** One thing that happens, `after` milliseconds. */
export type Step = { readonly after: number } & (
  | (Place & { readonly do: 'open'; readonly order: number })
  | (Place & { readonly do: 'act'; readonly act: Act; readonly offer: number })
  | (Place & { readonly do: PageEvent })
  | (Place & { readonly do: 'kill tab'; readonly calls: number })
  | {
      readonly do: 'kill relay' | 'kill network';
      readonly which: number;
      readonly calls: number;
      readonly downMs: number;
    }
  | { readonly do: 'line'; readonly link: Link; readonly fault: WireFault; readonly count: number }
  | { readonly do: 'database'; readonly fault: DatabaseFault; readonly count: number }
  | { readonly do: 'redis'; readonly fault: RedisFault; readonly count: number }
  | { readonly do: 'clock'; readonly of: Clock; readonly ms: number }
  /** Nothing happens for days. */
  | { readonly do: 'sleep'; readonly ms: number }
);

/** A history before it happens: who is there, and what they do. All of it follows from the seed. */
export interface Plan {
  readonly seed: number;
  readonly store: StoreKind;
  readonly relays: 1 | 2;
  /** Whether events keep their ids on the way to the network. */
  readonly keepsIds: boolean;
  /** Who shops on each device: two may be one person's. */
  readonly shoppers: readonly number[];
  /** Where the offers are shown. */
  readonly placement: Placement;
  readonly steps: readonly Step[];
}

const PLACEMENTS = [
  { view: 'THANK_YOU', display_mode: 'INLINE' },
  { view: 'THANK_YOU', display_mode: 'OVERLAY', widget_id: 'größer' },
  { view: 'ORDER_STATUS', display_mode: 'INLINE', widget_id: 'below the fold' },
] as const;
type Placement = (typeof PLACEMENTS)[number];

/** Draws a history. */
export function makePlan(seed: number): Plan {
  // Another chance than the world's, which a shorter plan leaves as it is.
  const chance = new World(seed ^ 0x5bd1e995);
  const one = <T>(items: readonly T[]): T => items[Math.floor(chance.random() * items.length)] as T;
  const store = one(STORES);
  const keepsIds = chance.chance(0.25);
  const shoppers = one([[0], [0], [0, 1], [0, 0], [0, 1, 0]]);
  // A part of what can go wrong, so that not everything does at once.
  const [isLine, isKill, isClock, isConsent] = [0.8, 0.6, 0.4, 0.4].map((share) => chance.chance(share));
  // A file's lock is touched every second: hours of that would be all that a history does.
  const longest = store === 'file' ? 60_000 : 4_000_000;
  const after = (): number =>
    chance.chance(0.7)
      ? chance.between(0, 600)
      : chance.between(0, Math.min(longest, one([3_000, 8_000, 60_000, 400_000, 4_000_000])));
  const place = (): Place => ({
    device: Math.floor(chance.random() * shoppers.length),
    tab: Number(chance.chance(0.3)),
  });
  const calls = (): number => Math.floor(chance.random() ** 2 * 60);
  const kill = (what: 'kill relay' | 'kill network'): Step => ({
    after: after(),
    do: what,
    which: Math.floor(chance.random() * 2),
    calls: calls(),
    downMs: chance.between(50, 20_000),
  });
  const line = (): Step => {
    const link = one(['page', 'relay'] as const);
    // Without ids, only the network could tell an event that a proxy repeats from another one.
    const fault = one(WIRE_FAULTS.filter((each) => link === 'page' || keepsIds || each !== 'doubled'));
    return { after: after(), do: 'line', link, fault, count: one([1, 1, 2, 4]) };
  };
  const draws: readonly (readonly [weight: number, draw: () => Step])[] = [
    [9, () => ({ after: after(), ...place(), do: 'act', act: one(ACTS), offer: Math.floor(chance.random() * 4) })],
    [2, () => ({ after: after(), ...place(), do: 'open', order: Math.floor(chance.random() * 2) })],
    [2, () => ({ after: after(), ...place(), do: one(PAGE_EVENTS.slice(0, 6)) })],
    [isConsent ? 1.5 : 0, () => ({ after: after(), ...place(), do: one(PAGE_EVENTS.slice(6)) })],
    [isKill ? 1.5 : 0, () => ({ after: after(), ...place(), do: 'kill tab', calls: calls() })],
    [isKill ? 1.2 : 0, () => kill('kill relay')],
    [isKill ? 0.6 : 0, () => kill('kill network')],
    [isLine ? 4 : 0, line],
    [isLine ? 0.8 : 0, () => ({ after: after(), do: 'database', fault: one(DATABASE_FAULTS), count: one([1, 1, 2]) })],
    [
      isLine && store === 'redis' ? 1.5 : 0,
      () => ({ after: after(), do: 'redis', fault: one(REDIS_FAULTS), count: one([1, 2, 5]) }),
    ],
    [isClock ? 1.2 : 0, () => ({ after: after(), do: 'clock', of: one([0, 0, 1, 'relay', 'network']), ms: jump() })],
    [isClock ? 0.4 : 0, () => ({ after: after(), do: 'sleep', ms: chance.between(6.5, 9.5) * DAY_MS })],
  ];
  const jump = (): number => one([-1, 1]) * chance.between(0, one([120_000, 7_200_000, 21_600_000]));
  const sum = draws.reduce((total, [weight]) => total + weight, 0);
  const draw = (): Step => {
    let point = chance.random() * sum;
    return (draws.find(([weight]) => (point -= weight) < 0) ?? draws[0])?.[1]() as Step;
  };
  return {
    seed,
    store,
    relays: store === 'redis' ? 2 : 1,
    shoppers,
    keepsIds,
    placement: one(PLACEMENTS),
    steps: [
      { after: 0, do: 'open', device: 0, tab: 0, order: 0 },
      ...Array.from({ length: 4 + Math.floor(chance.random() * 18) }, draw),
    ],
  };
}
