import { createNetwork, type Network } from '../network.ts';
import { createConsole, type Console } from '../cli/console.ts';
import type { Listening } from '../cli/listen.ts';
import { serve } from './serve.ts';
import { readControlHosts } from './readControlHosts.ts';
import { oneOf, readSettings, type SettingsSource } from '../cli/settings.ts';
import { untilStopped } from '../cli/untilStopped.ts';

const OPTIONS = {
  port: 'port',
  host: 'text',
  data: 'text',
  memory: 'flag',
  'database-url': 'text',
  environment: 'text',
  seed: 'text',
  now: 'text',
  'control-host': 'list',
  'show-keys': 'flag',
  json: 'flag',
} as const;
const DEFAULT_PORT = 4600;
const DEFAULT_DATA = '.offerlet/network';

/** `offerlet network`: the sandbox network by itself. */
export async function networkCommand(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createConsole({ json: settings.json });
  const started = await startNetwork({
    port: settings.port ?? DEFAULT_PORT,
    host: settings.host,
    data: settings.data,
    memory: settings.memory,
    databaseUrl: settings['database-url'],
    environment: oneOf('environment', settings.environment, ['staging', 'production']),
    seed: oneOf('seed', settings.seed, ['demo', 'empty']),
    now: settings.now,
    controlHosts: readControlHosts(settings['control-host']),
    showKeys: settings['show-keys'],
    out,
  });
  const described = started.network.describe();
  out.json({ url: started.server.url, ...described });
  out.say(`Network   ${started.server.url}  (${described.environment}, channel ${described.channel.name})`);
  for (const [kind, key] of Object.entries(described.keys)) out.say(`${kind.padEnd(20)} ${key}`);
  if (Object.keys(described.keys).length === 0)
    out.say('Its keys were printed at the first start; --show-keys issues new ones and revokes those.');
  out.say('Ctrl-C stops it.');
  await untilStopped([started.server, started.network]);
}

export interface NetworkSettings {
  port: number;
  host?: string | undefined;
  data?: string | undefined;
  memory: boolean;
  databaseUrl?: string | undefined;
  environment: 'staging' | 'production';
  seed: 'demo' | 'empty';
  now?: string | undefined;
  controlHosts: readonly string[];
  showKeys?: boolean;
  out: Console;
}

/** Starts the network on its database and listens. */
export async function startNetwork(settings: NetworkSettings): Promise<{ network: Network; server: Listening }> {
  const where: { url?: string } = {};
  const network = await createNetwork({
    ...(settings.databaseUrl
      ? { databaseUrl: settings.databaseUrl }
      : settings.memory
        ? { memory: true }
        : { data: settings.data ?? DEFAULT_DATA }),
    environment: settings.environment,
    seed: settings.seed,
    now: settings.now,
    controlHosts: settings.controlHosts,
    showKeys: settings.showKeys ?? false,
    // On every address, each caller reaches it at another URL: that of its request.
    baseUrl: isWildcard(settings.host) ? undefined : () => where.url ?? `http://127.0.0.1:${settings.port}`,
    log: (entry) => settings.out.log(entry),
  });
  try {
    const server = await serve((request, from) => network.fetch(request, from), {
      port: settings.port,
      host: settings.host,
    });
    where.url = server.url;
    return { network, server };
  } catch (error) {
    await network.close();
    throw error;
  }
}

function isWildcard(host: string | undefined): boolean {
  return host === '0.0.0.0' || host === '::';
}
