import { RelayConfigError } from '../errors.ts';
import { explain } from '../telemetry.ts';
import type { SeenStore } from './seenStore.ts';
import { within } from '../within.ts';
import { createSeenRedis, type RedisClient, type SeenRedisOptions } from './createSeenRedis.ts';

/** Connects to Redis with the `redis` package and stores accepted events there until it is closed. */
export async function openSeenRedis(
  options: SeenRedisOptions & { url: string },
): Promise<SeenStore & { close(): Promise<void> }> {
  const { url } = options;
  if (!/^rediss?:\/\//.test(url))
    throw new RelayConfigError('url is not a Redis URL. Use redis://host:6379 or rediss://host:6380.');
  const redis = await import('redis').catch((error: unknown) => {
    throw new RelayConfigError("The package 'redis' is not installed. Install it with npm install redis.", {
      cause: error,
    });
  });
  const client = redis.createClient({
    url,
    // A command fails at once while Redis is away, and the page's sender comes back later.
    disableOfflineQueue: true,
    commandsQueueMaxLength: WAITING_COMMANDS_MAX,
    // A Redis that accepts connections but never replies is found out by its silence, and connected to anew.
    pingInterval: PING_MS,
    // (The client's own strategy would not connect again after a silence.)
    socket: { socketTimeout: SILENCE_MS, reconnectStrategy: (tries) => Math.min(2 ** tries * 50, RECONNECT_MAX_MS) },
  });
  // The client reconnects by itself; a command that fails meanwhile is reported by the relay.
  client.on('error', () => undefined);
  try {
    const late = (): Error => new Error(`no connection within ${CONNECT_MS} ms`);
    await within(client.connect(), { ms: CONNECT_MS, late });
  } catch (error) {
    client.destroy();
    throw new RelayConfigError(`Redis at ${new URL(url).host} does not respond: ${explain(error)}`, { cause: error });
  }
  const commands: RedisClient = { sendCommand: (command) => client.sendCommand(command) };
  return {
    ...createSeenRedis(commands, options),
    async close() {
      const late = (): Error => new Error(`not closed within ${CLOSE_MS} ms`);
      await within(client.close(), { ms: CLOSE_MS, late }).catch(() => client.destroy());
    },
  };
}

/** Milliseconds for the first connection; the client alone would try for ever. */
const CONNECT_MS = 5_000;
const PING_MS = 1_000;
const SILENCE_MS = 5_000;
const RECONNECT_MAX_MS = 2_000;
/** Milliseconds that closing waits for replies under way. */
const CLOSE_MS = 1_000;
/** Commands that may wait for a reply: 500 batches of 20. */
const WAITING_COMMANDS_MAX = 10_000;
