import type { Network } from '../network.ts';
import { createRelay } from '../relay.ts';
import { createConsole } from './console.ts';
import { listen } from './listen.ts';
import { startNetwork } from './networkCommand.ts';
import { readSettings, UsageError, type SettingsSource } from './settings.ts';
import { loadShop } from './loadShop.ts';
import { untilStopped } from './untilStopped.ts';

const OPTIONS = {
  port: 'port',
  'network-port': 'port',
  data: 'text',
  memory: 'flag',
  'database-url': 'text',
  json: 'flag',
} as const;
const DEFAULT_PORT = 4173;
const DEFAULT_NETWORK_PORT = 4600;
/** Where the shop's backend mounts its relay. */
const RELAY_PATH = '/offers';

/** `offerlet sandbox`: network, relay and a demo shop in one process; page and relay share one origin. */
export async function sandboxCommand(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createConsole({ json: settings.json });
  out.say('Starting the sandbox network …');
  const { network, server: networkServer } = await startNetwork({
    port: settings['network-port'] ?? DEFAULT_NETWORK_PORT,
    data: settings.data,
    memory: settings.memory,
    databaseUrl: settings['database-url'],
    environment: 'staging',
    seed: 'demo',
    out: settings.json ? out : { ...out, log: () => undefined },
  });
  const keys = complete(network.describe().keys);
  const relay = createRelay({
    apiKey: keys.integration,
    baseUrl: networkServer.url,
    version: '1.0.0',
    basePath: RELAY_PATH,
    sandbox: true,
    forwardEventIds: true,
  });
  const shop = await loadShop({ network: networkServer.url, keys });
  const server = await listen(
    (request, from) =>
      new URL(request.url).pathname.startsWith(`${RELAY_PATH}/`) ? relay(request, from) : shop(request),
    { port: settings.port ?? DEFAULT_PORT },
  ).catch(async (error: unknown) => {
    await networkServer.close();
    await network.close();
    throw error;
  });
  out.json({ shop: server.url, relay: server.url + RELAY_PATH, network: networkServer.url, keys });
  out.say(
    `Network   ${networkServer.url}\nRelay     ${server.url}${RELAY_PATH}\nReport    ${server.url}/report\nCtrl-C stops everything.\n`,
  );
  out.say(`Open ${server.url}`);
  await untilStopped([server, networkServer, network]);
}

type SandboxKeys = Record<keyof ReturnType<Network['describe']>['keys'], string>;

/** In staging the first keys are printed at every start, so all of them are there. */
function complete(keys: Partial<SandboxKeys>): SandboxKeys {
  const { management, publishable, publisher_reporting, integration } = keys;
  if (!management || !publishable || !publisher_reporting || !integration)
    throw new UsageError('This database holds a production network: choose another with --data, or --memory.');
  return { management, publishable, publisher_reporting, integration };
}
