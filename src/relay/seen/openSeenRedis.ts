import { RelayConfigError } from '../errors.ts';
import { explain } from '../telemetry.ts';
import type { SeenStore } from './seenStore.ts';
import { withDeadline } from '../../http/withDeadline.ts';
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
    ...createSeenRedis(commands, options),
    async close() {
      const late = (): Error => new Error(`not closed within ${CLOSE_MS} ms`);
      await withDeadline(client.close(), { ms: CLOSE_MS, late }).catch(() => client.destroy());
    },
  };
}

/** Milliseconds for the first connection; the client itself would try for ever. */
const CONNECT_MS = 5_000;
const PING_MS = 1_000;
const SILENCE_MS = 5_000;
const RECONNECT_MAX_MS = 2_000;
/** Milliseconds that closing waits for outstanding replies. */
const CLOSE_MS = 1_000;
/** Commands that may wait for a reply: 500 batches of 20. */
const WAITING_COMMANDS_MAX = 10_000;
