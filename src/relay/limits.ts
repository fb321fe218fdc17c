import { RelayError } from './errors.ts';
import type { Telemetry } from './telemetry.ts';

// How much clients may send, and how long anything may take.

/** Who sent a request, by its IP address. */
export interface Client {
  /** The address, without what surrounds it. */
  readonly address: string;
  /** The IPv4 address, or the /64 network of an IPv6 address, which belongs to one household or server. */
  readonly host: string;
  /** The IPv4 address, or the /48 network of an IPv6 address: the most that one customer usually gets. */
  readonly network: string;
}

/** A token bucket: how many at once, and how many more each second. */
export interface Bucket {
  burst: number;
  perSecond: number;
}

export interface RateLimits {
  /** Requests of one IPv4 address, or of one IPv6 /64 network. */
  perAddress: Bucket;
  /** Requests of one IPv6 /48 network, and of all clients whose address is not known. */
  perNetwork: Bucket;
  /** Events of one session. */
  perSession: Bucket;
}

/** Decides whether a request may pass now. Several relays that share limits need a custom one. */
export interface RateLimiter {
  /** Milliseconds to wait before `key` may spend `cost`; 0 when it was spent. */
  take(key: string, kind: 'address' | 'network' | 'session', cost: number): number | Promise<number>;
}

/** An office behind one address, and a session of a shopper who browses for hours, stay far below these. */
export const DEFAULT_RATE_LIMITS: RateLimits = {
  perAddress: { burst: 600, perSecond: 100 },
  perNetwork: { burst: 6_000, perSecond: 1_000 },
  perSession: { burst: 2_000, perSecond: 50 },
};

/** Keys with a bucket; beyond that the ones unused for longest are forgotten. */
const KEYS_MAX = 50_000;
/** Minimum wait of a refused caller. */
const WAIT_MIN_MS = 1_000;

/** Token buckets in this process's memory. */
export function createRateLimiter(limits: RateLimits): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const kinds = { address: limits.perAddress, network: limits.perNetwork, session: limits.perSession };
  return {
    take(key, kind, cost) {
      const { burst, perSecond } = kinds[kind];
      const name = `${kind}:${key}`;
      const held = buckets.get(name);
      // Not the time of day, which somebody may set back.
      const time = performance.now();
      const refilled = held ? Math.min(burst, held.tokens + ((time - held.at) / 1_000) * perSecond) : burst;
      const isEnough = refilled >= cost;
      // Deleting first moves the key to the end, so the front is what was unused for longest.
      buckets.delete(name);
      buckets.set(name, { tokens: isEnough ? refilled - cost : refilled, at: time });
      if (buckets.size > KEYS_MAX) for (const oldest of buckets.keys()) if (buckets.delete(oldest)) break;
      return isEnough ? 0 : Math.max(WAIT_MIN_MS, Math.ceil(((cost - refilled) / perSecond) * 1_000));
    },
  };
}

/** The rate limits of a relay. Each rejects with a 429 when too much was spent, and with a 503 when the limiter fails. */
export interface Limits {
  /** Whether there is a limiter. */
  readonly isOn: boolean;
  /** Counts one request of a client; of one whose address is not known, together with all others. */
  spendRequest(client: Client | undefined): Promise<void>;
  /** Counts events of sessions. */
  spendEvents(counts: ReadonlyMap<string, number>): Promise<void>;
  /** Counts a request that was not authorized as several more. Never rejects. */
  spendUnauthorized(client: Client | undefined): Promise<void>;
}

/** What a request that is not authorized costs beyond an ordinary one. */
const UNAUTHORIZED_COST = 9;
/** Milliseconds after which a page may come back when the rate limiter failed. */
const LIMITER_RETRY_MS = 5_000;
/** The key by which clients without a known address are counted together. */
const UNKNOWN = 'unknown';

/** Returns the `Limits` of a relay. A limiter that takes longer than `timeoutMs` fails. */
export function createLimits(
  limiter: RateLimiter | undefined,
  { timeoutMs, measure }: Pick<Telemetry, 'measure'> & { timeoutMs: number },
): Limits {
  async function spend(key: string, kind: Parameters<RateLimiter['take']>[1], cost: number): Promise<void> {
    if (!limiter) return;
    const waitMs = await take(limiter.take.bind(limiter, key, kind, cost));
    if (waitMs <= 0) return;
    measure({ name: 'rate_limited', value: 1 });
    throw new RelayError('Too many requests. Slow down.', { status: 429, code: 'rate_limited', retryAfterMs: waitMs });
  }

  /** The limiter's reply. One that hangs fails like one that throws. */
  async function take(ask: () => number | Promise<number>): Promise<number> {
    try {
      const taken = ask();
      const late = (): Error => new Error(`no reply within ${timeoutMs} ms`);
      // A limiter in memory needs no timer.
      const waitMs: unknown =
        typeof taken === 'number' ? taken : await withDeadline(Promise.resolve(taken), { ms: timeoutMs, late });
      if (typeof waitMs === 'number' && Number.isFinite(waitMs)) return waitMs;
      throw new TypeError(`take() returned ${String(waitMs)} instead of a number of milliseconds`);
    } catch (error) {
      measure({ name: 'limiter_failed', value: 1 });
      throw new RelayError('The relay cannot check its rate limit. Try again later.', {
        status: 503,
        code: 'limiter_unavailable',
        retryAfterMs: LIMITER_RETRY_MS,
        cause: error,
      });
    }
  }

  return {
    isOn: limiter !== undefined,
    async spendRequest(client) {
      if (!client) return spend(UNKNOWN, 'network', 1);
      await spend(client.host, 'address', 1);
      if (client.network !== client.host) await spend(client.network, 'network', 1);
    },
    async spendEvents(counts) {
      for (const [session, count] of counts) await spend(session, 'session', count);
    },
    async spendUnauthorized(client) {
      // Together, the unknown ones would lock out those who are authorized.
      if (!client || !limiter) return;
      await take(limiter.take.bind(limiter, client.host, 'address', UNAUTHORIZED_COST)).catch(() => undefined);
    },
  };
}

const ADDRESS_MAX_LENGTH = 64;
/** Four bytes, with leading zeros as some proxies write them. */
const BYTE = '(?:[01]?\\d?\\d|2[0-4]\\d|25[0-5])';
const IPV4 = new RegExp(`^${BYTE}(?:\\.${BYTE}){3}$`);

/**
 * Reads an IP address as sockets and proxies write it: without a port, brackets or a zone. An IPv4-mapped address
 * (`::ffff:192.0.2.1`), and one that a translator or tunnel made of an IPv4 address, becomes plain IPv4. `undefined` for
 * a text that is not an IP address.
 */
export function readClient(text: unknown): Client | undefined {
  if (typeof text !== 'string' || text === '' || text.length > ADDRESS_MAX_LENGTH) return undefined;
  if (IPV4.test(text)) return ofIPv4(text);
  const address = text
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\](:\d+)?$/, '$1')
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1')
    .replace(/%.*$/, '');
  if (IPV4.test(address)) return ofIPv4(address);
  const groups = groupsOf(address);
  if (!groups) return undefined;
  const ipv4 = embeddedIPv4(groups);
  if (ipv4 !== undefined) return ofIPv4(ipv4);
  const [host, network] = [4, 3].map((count) => `${groups.slice(0, count).join(':')}::/${count * 16}`);
  return host && network ? { address, host, network } : undefined;
}

function ofIPv4(text: string): Client {
  const address = text.replace(/\b0+(?=\d)/g, '');
  return { address, host: address, network: address };
}

/** Prefixes of 96 bits before an IPv4 address: mapped, translated (SIIT), NAT64. */
const BEFORE_IPV4: readonly string[] = ['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '64:ff9b:0:0:0:0', '64:ff9b:1:0:0:0'];
/** Its next two groups are an IPv4 address. */
const SIX_TO_FOUR = '2002';

function embeddedIPv4(groups: readonly string[]): string | undefined {
  const isLast = BEFORE_IPV4.includes(groups.slice(0, 6).join(':'));
  if (!isLast && groups[0] !== SIX_TO_FOUR) return undefined;
  return (isLast ? groups.slice(6) : groups.slice(1, 3))
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
}

/** The eight groups of an IPv6 address without leading zeros; `undefined` for another text. */
function groupsOf(address: string): readonly string[] | undefined {
  const plain = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (text, ...bytes: string[]) => {
    if (!IPV4.test(text)) return text;
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = '', right, ...rest] = plain.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const gap = 8 - head.length - tail.length;
  const isWhole = right === undefined ? gap === 0 : gap > 0;
  const groups = [...head, ...Array<string>(Math.max(0, gap)).fill('0'), ...tail];
  if (!isWhole || rest.length > 0 || !groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return undefined;
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}

/** Settles like a promise, but rejects with the error of `late` after `ms` milliseconds. */
export function withDeadline<T>(work: Promise<T>, { ms, late }: { ms: number; late: () => Error }): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
