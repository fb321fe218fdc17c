import { RelayConfigError } from './errors.ts';
import { explain } from './log.ts';
import type { SeenStore } from './seen.ts';
import { createSeenRedis, type RedisClient, type SeenRedisOptions } from './seenRedis.ts';

/** Connects to Redis with the `redis` package and keeps accepted ids there until it is closed. */
export async function openSeenRedis(
  options: SeenRedisOptions & { url: string },
): Promise<SeenStore & { close(): Promise<void> }> {
  const { url } = options;
  if (!/^rediss?:\/\//.test(url))
    throw new RelayConfigError('url is no address of a Redis server: write redis://host:6379 or rediss://host:6380.');
  const redis = await import('redis').catch((error: unknown) => {
    throw new RelayConfigError(
      "The package 'redis' is missing: install it beside offerlet with npm install redis.",
      error,
    );
  });
  // Without the offline queue a command fails at once while Redis is away, and the page's sender comes back later.
  const client = redis.createClient({ url, disableOfflineQueue: true });
  // The client reconnects by itself; a command that fails meanwhile is reported by the relay.
  client.on('error', () => undefined);
  try {
    await connect(client);
  } catch (error) {
    client.destroy();
    throw new RelayConfigError(`Redis at ${new URL(url).host} does not answer: ${explain(error)}`, error);
  }
  const commands: RedisClient = { sendCommand: (command) => client.sendCommand(command) };
  return { ...createSeenRedis(commands, options), close: () => client.close() };
}

/** Milliseconds for the first connection; the client alone would try for ever. */
const CONNECT_MS = 5_000;

async function connect(client: { connect(): Promise<unknown> }): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no connection within ${CONNECT_MS} ms`)), CONNECT_MS);
  });
  try {
    await Promise.race([client.connect(), late]);
  } finally {
    clearTimeout(timer);
  }
}
