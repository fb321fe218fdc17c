import { DEDUPE_MAX_AGE_MS } from '../../wire/limits.ts';
import { PREFETCHED_MAX_AGE_MS } from '../../wire/offers/prefetched.ts';
import { addDays } from '../../wire/utcDates.ts';
import { RelayConfigError } from '../errors.ts';
import { addCount, readCell, ledgerRows, type Ledger } from '../ledger.ts';
import { withDeadline } from '../../http/withDeadline.ts';
import { checkWhole, refuseOption } from '../optionValue.ts';
import { explain } from '../telemetry.ts';
import { randomSalt, senderNumber } from './keyTable.ts';
import { untilSettled, type DedupeClaim, type DedupeStore, type ResponseStore } from './dedupeStore.ts';

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
/**
 * Claims events that nobody has claimed. A claim of a relay that died, or of this one in a call whose reply was lost, is
 * unconfirmed. ARGV: the process, the number of the claim, milliseconds until nobody remembers it, those once it has expired.
 */
const CLAIM = `local claims = {}
for i = 1, #KEYS do
  local holder = redis.call('GET', KEYS[i])
  claims[i] = holder == 'accepted' and 'known' or 'busy'
  local left = redis.call('PTTL', KEYS[i])
  if claims[i] == 'busy' and (left <= tonumber(ARGV[4]) or string.sub(holder or '', 1, #ARGV[1]) == ARGV[1]) then
    redis.call('SET', KEYS[i], ARGV[1] .. ARGV[2], 'PX', ARGV[3])
    claims[i] = holder and 'unconfirmed' or 'new'
  end
end
return claims`;
/**
 * Releases claims, unless they are replaced by a newer one, of this process or another. ARGV: the token of
 * each, and the milliseconds for which it is remembered that they are unconfirmed.
 */
const RELEASE = `local ms = ARGV[#KEYS + 1]
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) == ARGV[i] then
    if ms then redis.call('SET', KEYS[i], 'unconfirmed', 'PX', ms) else redis.call('DEL', KEYS[i]) end
  end
end`;

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
): DedupeStore & { readonly ledger: Ledger; readonly responses: ResponseStore; settled(): Promise<void> } {
  const { prefix = 'offerlet:dedupe:', maxAgeMs = DEDUPE_MAX_AGE_MS, claimMs = DEFAULT_CLAIM_MS } = options;
  checkWhole('maxAgeMs', maxAgeMs);
  checkWhole('claimMs', claimMs);
  const me = `claimed:${crypto.randomUUID()}:`;
  const ledger = createLedgerRedis(client, prefix);
  /** Keys that were claimed and not settled yet, each with the number of its newest claim. */
  const held = new Map<string, number>();
  let claimed = 0;

  function run(script: string, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    return client.sendCommand(['EVAL', script, String(keys.length), ...keys, ...values]);
  }

  const named = (keys: readonly string[]): readonly string[] => keys.map((key) => prefix + key);

  return {
    async claim(keys) {
      // Another relay of this process may have claimed it.
      const free = keys.filter((key) => !held.has(key));
      if (free.length === 0) return keys.map(() => 'busy');
      const number = (claimed += 1);
      const values = [me, number, claimMs + maxAgeMs, maxAgeMs].map(String);
      const claims = (await run(CLAIM, named(free), values)) as readonly DedupeClaim[];
      const own = new Map<string, DedupeClaim>();
      for (const [at, key] of free.entries()) {
        const claim = claims[at] ?? 'busy';
        const other = held.get(key);
        // One that was made at the same moment is in Redis by its newest number.
        const isOwn = claim === 'new' || claim === 'unconfirmed';
        if (isOwn) held.set(key, Math.max(number, other ?? 0));
        own.set(key, isOwn && other !== undefined ? 'busy' : claim);
      }
      return keys.map((key) => own.get(key) ?? 'busy');
    },
    async accept(keys, _, cells) {
      if (cells && keys.length > 0) {
        const days = cells.map((cell) => ledger.dayKey(cell.slice(0, 10)));
        const values = [String(maxAgeMs), LEDGER_SECONDS, ...cells.map((cell) => cell.slice(11))];
        await run(ACCEPT, [...named(keys), ...days], values);
      } else
        await Promise.all(named(keys).map((key) => client.sendCommand(['SET', key, ACCEPTED, 'PX', String(maxAgeMs)])));
      // After a failure, the relay tries again: closing waits for that.
      for (const key of keys) held.delete(key);
    },
    async release(keys, how) {
      const tokens = keys.map((key) => `${me}${held.get(key)}`);
      for (const key of keys) held.delete(key);
      if (keys.length > 0) await run(RELEASE, named(keys), how ? [...tokens, String(maxAgeMs)] : tokens);
    },
    claimMs,
    settled: () => untilSettled(held),
    ledger,
    responses: createResponsesRedis(client, prefix),
  };
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
  const store = createDedupeRedis(commands, options);
  return {
    ...store,
    async close() {
      await store.settled();
      try {
        await withDeadline(client.close(), { ms: CLOSE_MS });
      } catch {
        client.destroy();
      }
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

const SESSION_MS = String(DEDUPE_MAX_AGE_MS);

/** Claims the request for a response, unless somebody has or it has come since it was looked for. KEYS: the response, its claim. */
const CLAIM_RESPONSE = `return redis.call('EXISTS', KEYS[1]) == 0 and redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[1])`;

/**
 * Stores a response for ten minutes and ends its claim. When there are too many, the oldest of the sender that has most leave.
 * KEYS: the response, its claim, what each sender has of these ten minutes. ARGV: response, milliseconds, most bytes, sender.
 */
const SETTLE = `redis.call('DEL', KEYS[2])
local size, most = #ARGV[1], tonumber(ARGV[3])
if size == 0 or size > most then return end
local function last(key) redis.call('PEXPIRE', key, 2 * ARGV[2]) end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('RPUSH', KEYS[3] .. ARGV[4], size .. ' ' .. KEYS[1])
redis.call('ZINCRBY', KEYS[3], size, ARGV[4])
local total = redis.call('INCRBY', KEYS[3] .. 'all', size)
last(KEYS[3]) last(KEYS[3] .. ARGV[4]) last(KEYS[3] .. 'all')
while total > most do
  local biggest = redis.call('ZREVRANGE', KEYS[3], 0, 0)[1]
  local bytes, key = (redis.call('LPOP', KEYS[3] .. biggest) or ''):match('^(%d+) (.*)')
  -- Redis may have evicted the list.
  bytes = bytes or redis.call('ZSCORE', KEYS[3], biggest)
  if key then redis.call('DEL', key) end
  redis.call('ZINCRBY', KEYS[3], -bytes, biggest)
  total = redis.call('DECRBY', KEYS[3] .. 'all', bytes)
end`;

/** Responses in Redis, each under a separate key. A claim ends with a response, or with the relay's timeout. */
function createResponsesRedis(client: RedisClient, prefix: string): ResponseStore {
  const responseKey = (key: string): string => `${prefix}response:${key}`;
  const salt = randomSalt();
  return {
    async get(key) {
      const response = await client.sendCommand(['GET', responseKey(key)]);
      return typeof response === 'string' ? response : undefined;
    },
    async claim(key) {
      const keys = [responseKey(key), `${responseKey(key)}:claim`];
      return (await client.sendCommand(['EVAL', CLAIM_RESPONSE, '2', ...keys, RESPONSE_CLAIM_MS])) !== null;
    },
    async settle(key, response = '', sender = '') {
      const senders = `${prefix}responses:${Math.floor(Date.now() / PREFETCHED_MAX_AGE_MS)}:`;
      const values = [response, RESPONSE_MS, RESPONSES_MAX, String(senderNumber(sender, salt))];
      await client.sendCommand([
        'EVAL',
        SETTLE,
        '3',
        responseKey(key),
        `${responseKey(key)}:claim`,
        senders,
        ...values,
      ]);
    },
  };
}

const RESPONSE_MS = String(PREFETCHED_MAX_AGE_MS);
/** Bytes of the responses of ten minutes: a client's orders must not fill Redis. */
const RESPONSES_MAX = String(16 * 1024 * 1024);
/** Milliseconds after which the claim of a relay that died expires. */
const RESPONSE_CLAIM_MS = '5000';

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
    async openSession(session, value) {
      const key = sessionKey(session);
      if ((await client.sendCommand(['SET', key, value, 'NX', 'PX', SESSION_MS])) !== null) return undefined;
      const before = await client.sendCommand(['GET', key]);
      return typeof before === 'string' ? before : undefined;
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
      return { rows: ledgerRows(counts), problems };
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
