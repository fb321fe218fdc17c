import { DEDUPE_MAX_AGE_MS } from '../../wire/limits.ts';
import { addDays } from '../../wire/utcDates.ts';
import { RelayConfigError } from '../errors.ts';
import { addCount, readCell, rowsOf, type Ledger } from '../ledger/ledger.ts';
import { withDeadline } from '../../http/withDeadline.ts';
import { checkWhole, refuseOption } from '../options/optionValue.ts';
import { explain } from '../telemetry.ts';
import type { DedupeClaim, DedupeStore } from './dedupeStore.ts';

/** The part of a Redis client that is used; the client of the `redis` package has it. */
export interface RedisClient {
  sendCommand(command: string[]): Promise<unknown>;
}

export interface DedupeRedisOptions {
  /** Prefix of every Redis key. Relays with different network keys need different ones. */
  prefix?: string;
  maxAgeMs?: number;
  /** Milliseconds after which the claim of a relay that died expires; must be longer than a call to the network. */
  claimMs?: number;
}

const ACCEPTED = 'accepted';
const DEFAULT_CLAIM_MS = 20_000;
/** Renews a claim of this relay's own. */
const RENEW =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";
/** Releases a claim, unless it has expired and is another relay's by now. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

/**
 * Marks events as accepted and counts those that were not, in one step. KEYS: the events, then the day's counts of each.
 * ARGV: milliseconds that an event is remembered, seconds that a day is, then the field of each.
 */
const ACCEPT = `local n = #KEYS / 2
for i = 1, n do
  if redis.call('GET', KEYS[i]) ~= 'accepted' then
    redis.call('HINCRBY', KEYS[n + i], ARGV[i + 2], 1)
    redis.call('EXPIRE', KEYS[n + i], ARGV[2])
  end
  redis.call('SET', KEYS[i], 'accepted', 'PX', ARGV[1])
end`;

/** Accepted events in Redis, shared by every relay of a merchant: what one of them is forwarding, no other forwards. */
export function createDedupeRedis(
  client: RedisClient,
  options: DedupeRedisOptions = {},
): DedupeStore & { readonly ledger: Ledger } {
  const { prefix = 'offerlet:dedupe:', maxAgeMs = DEDUPE_MAX_AGE_MS, claimMs = DEFAULT_CLAIM_MS } = options;
  checkWhole('maxAgeMs', maxAgeMs);
  checkWhole('claimMs', claimMs);
  const me = `claimed:${crypto.randomUUID()}`;

  const ledger = createLedgerRedis(client, prefix);

  /** Keys that were claimed and not settled yet. */
  const held = new Set<string>();

  async function claimOne(key: string): Promise<DedupeClaim> {
    const taken = await client.sendCommand(['SET', prefix + key, me, 'NX', 'PX', String(claimMs)]);
    if (taken !== null) return hold(key);
    const holder = String(await client.sendCommand(['GET', prefix + key]));
    if (holder !== me || held.has(key)) return holder === ACCEPTED ? 'known' : 'busy';
    // A claim of this store whose reply was lost.
    const renewed = await client.sendCommand(['EVAL', RENEW, '1', prefix + key, me, String(claimMs)]);
    return renewed === 1 && !held.has(key) ? hold(key) : 'busy';
  }

  function hold(key: string): 'new' {
    held.add(key);
    return 'new';
  }

  async function release(keys: readonly string[]): Promise<void> {
    for (const key of keys) held.delete(key);
    await each(keys, (key) => ['EVAL', RELEASE, '1', prefix + key, me]);
  }

  async function each(keys: readonly string[], command: (key: string) => string[]): Promise<void> {
    await Promise.all(keys.map((key) => client.sendCommand(command(key))));
  }

  return {
    async claim(keys) {
      // The client sends these in one go and reads the replies as they come.
      const claims = await Promise.allSettled(keys.map(claimOne));
      const failure = claims.find((claim) => claim.status === 'rejected');
      if (!failure) return claims.flatMap((claim) => (claim.status === 'fulfilled' ? claim.value : []));
      void release(keys.filter((_, at) => isNew(claims[at]))).catch(() => undefined);
      throw failure.reason;
    },
    async accept(keys, _, cells) {
      for (const key of keys) held.delete(key);
      if (cells && keys.length > 0) {
        const days = cells.map((cell) => ledger.dayKey(cell.slice(0, 10)));
        const names = [...keys.map((key) => prefix + key), ...days];
        const values = [String(maxAgeMs), LEDGER_SECONDS, ...cells.map((cell) => cell.slice(11))];
        await client.sendCommand(['EVAL', ACCEPT, String(names.length), ...names, ...values]);
      } else await each(keys, (key) => ['SET', prefix + key, ACCEPTED, 'PX', String(maxAgeMs)]);
    },
    release,
    claimMs,
    ledger,
  };
}

function isNew(claim: PromiseSettledResult<DedupeClaim> | undefined): boolean {
  return claim?.status === 'fulfilled' && claim.value === 'new';
}

/** Connects to Redis with the `redis` package and stores accepted events there until it is closed. */
export async function openDedupeRedis(
  options: DedupeRedisOptions & { url: string },
): Promise<DedupeStore & { readonly ledger: Ledger; close(): Promise<void> }> {
  const { url } = options;
  // Node's own error would repeat the URL, with the password in it.
  if (!/^rediss?:\/\//.test(url) || !URL.canParse(url))
    refuseOption('url', 'is not a Redis URL. Use redis://host:6379 or rediss://host:6380.');
  const redis = await import('redis').catch((error: unknown) => {
    throw new RelayConfigError("The package 'redis' is not installed. Install it with npm install redis.", {
      cause: error,
    });
  });
  const client = redis.createClient({
    url,
    // Commands fail at once while Redis is away, and pages send their events again later.
    disableOfflineQueue: true,
    commandsQueueMaxLength: WAITING_COMMANDS_MAX,
    // A Redis that stops replying gets a new connection. The client's own strategy would not reconnect after a silence.
    pingInterval: PING_MS,
    socket: { socketTimeout: SILENCE_MS, reconnectStrategy: (tries) => Math.min(2 ** tries * 50, RECONNECT_MAX_MS) },
  });
  // The client reconnects itself. The relay reports the commands that fail meanwhile.
  client.on('error', () => undefined);
  try {
    const late = (): Error => new Error(`no connection within ${CONNECT_MS} ms`);
    await withDeadline(client.connect(), { ms: CONNECT_MS, late });
  } catch (error) {
    client.destroy();
    throw new RelayConfigError(`Redis at ${new URL(url).host} does not respond: ${explain(error)}`, { cause: error });
  }
  const commands: RedisClient = { sendCommand: (command) => client.sendCommand(command) };
  return {
    ...createDedupeRedis(commands, options),
    async close() {
      const late = (): Error => new Error(`not closed within ${CLOSE_MS} ms`);
      await withDeadline(client.close(), { ms: CLOSE_MS, late }).catch(() => client.destroy());
    },
  };
}

/** Milliseconds for the first connection; the client itself would try forever. */
const CONNECT_MS = 5_000;
const PING_MS = 1_000;
const SILENCE_MS = 5_000;
const RECONNECT_MAX_MS = 2_000;
/** Milliseconds that closing waits for outstanding replies. */
const CLOSE_MS = 1_000;
/** Commands that may wait for a reply: 500 batches of 20. */
const WAITING_COMMANDS_MAX = 10_000;

/** Seconds for which the counts of a day are stored: 400 days. */
const LEDGER_SECONDS = String(400 * 24 * 3_600);

/** A ledger in Redis: a hash for each UTC day, whose fields are cells without their date, and a key for each session. */
function createLedgerRedis(client: RedisClient, prefix: string): Ledger & { dayKey(day: string): string } {
  const dayKey = (day: string): string => `${prefix}ledger:${day}`;
  const sessionKey = (session: string): string => `${prefix}session:${session}`;

  return {
    dayKey,
    async add(counts) {
      await Promise.all(
        [...counts].flatMap(([cell, count]) => {
          const key = dayKey(cell.slice(0, 10));
          return [
            client.sendCommand(['HINCRBY', key, cell.slice(11), String(count)]),
            client.sendCommand(['EXPIRE', key, LEDGER_SECONDS]),
          ];
        }),
      );
    },
    async openSession(session, placement) {
      await client.sendCommand(['SET', sessionKey(session), placement, 'PX', String(DEDUPE_MAX_AGE_MS)]);
    },
    async placementsOf(sessions) {
      const found = await Promise.all(sessions.map((session) => client.sendCommand(['GET', sessionKey(session)])));
      return found.map((placement) => (typeof placement === 'string' ? placement : undefined));
    },
    async read({ from, to }) {
      const counts = new Map<string, number>();
      const problems: string[] = [];
      for (let day = from; day <= to; day = addDays(day, 1)) {
        for (const [field, text] of pairsOf(await client.sendCommand(['HGETALL', dayKey(day)]))) {
          // A field is what follows the date and its T: `10 BRAND_CLICK …`.
          const [cell, count] = [`${day}T${field}`, Number(text)];
          if (Number.isSafeInteger(count) && count >= 0 && readCell(cell)) addCount(counts, cell, count);
          else
            problems.push(
              `${dayKey(day)}: ${JSON.stringify(field)} ${JSON.stringify(text)} is not a count and was skipped.`,
            );
        }
      }
      return { rows: rowsOf(counts), problems };
    },
  };
}

/** The fields of a hash: RESP2 returns a list of names and values, RESP3 a map. */
function pairsOf(reply: unknown): readonly (readonly [string, string])[] {
  if (!Array.isArray(reply)) {
    const entries = reply instanceof Map ? [...reply] : Object.entries(reply ?? {});
    return entries.map(([field, count]) => [String(field), String(count)]);
  }
  const flat = reply as readonly unknown[];
  return flat.flatMap((field, at) => (at % 2 === 0 ? [[String(field), String(flat[at + 1])] as const] : []));
}
