import { checkNetwork, createRelay, openSeenFile, RelayConfigError, toNode, type RelayOptions } from '../relay.ts';
import { createConsole } from './console.ts';
import { inFlags } from './inFlags.ts';
import { listen } from './listen.ts';
import { oneOf, readSettings, UsageError, type SettingsSource } from './settings.ts';
import { untilStopped } from './untilStopped.ts';

const OPTIONS = {
  network: 'text',
  'api-key': 'text',
  version: 'text',
  environment: 'text',
  port: 'port',
  host: 'text',
  'base-path': 'text',
  'allow-origin': 'list',
  'address-header': 'text',
  sandbox: 'flag',
  'forward-event-ids': 'flag',
  emails: 'text',
  data: 'text',
  json: 'flag',
} as const;
const DEFAULT_PORT = 4601;
/** The version of the Recommendations API that this release was tested with. */
const DEFAULT_VERSION = '1.0.0';

/** `offerlet relay`: the relay as a process of its own, for merchants whose backend is not JavaScript. */
export async function relayCommand(source: SettingsSource): Promise<void> {
  try {
    await runRelay(source);
  } catch (error) {
    if (error instanceof RelayConfigError) throw new UsageError(inFlags(error.message));
    throw error;
  }
}

async function runRelay(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createConsole({ json: settings.json });
  const baseUrl = settings.network;
  const apiKey = settings['api-key'];
  if (baseUrl === undefined)
    throw new UsageError(
      '--network is missing: write the address of the network, such as --network https://partner.example.',
    );
  if (apiKey === undefined)
    throw new UsageError(
      'The integration key is missing: set OFFERLET_API_KEY (or write --api-key, which other users of this machine can see).',
    );
  const options: RelayOptions = {
    apiKey,
    baseUrl,
    version: settings.version ?? DEFAULT_VERSION,
    basePath: settings['base-path'] ?? '/',
    allowedOrigins: settings['allow-origin'],
    sandbox: settings.sandbox,
    forwardEventIds: settings['forward-event-ids'],
    addressHeader: settings['address-header'],
    emails: oneOf('emails', settings.emails, ['hash', 'raw']),
    onLog: (entry) => out.log(entry),
  };
  if (settings.environment !== undefined)
    options.environment = oneOf('environment', settings.environment, ['staging', 'production']);
  const { warning } = await checkNetwork({ apiKey, baseUrl });
  if (warning !== undefined) out.log(`offerlet relay: ${warning}`);
  const seen =
    settings.data === undefined ? undefined : await openSeenFile(settings.data, { onLog: (entry) => out.log(entry) });
  const relay = createRelay(seen ? { ...options, seen } : options);
  const server = await listen(toNode(relay), { port: settings.port ?? DEFAULT_PORT, host: settings.host });
  out.json({ url: server.url });
  out.say(`Relay     ${server.url}  →  ${baseUrl}, version ${options.version}`);
  out.say('Ctrl-C stops it.');
  const stopped = untilStopped(seen ? [server, seen] : [server]);
  const lost = await Promise.race([stopped, ...(seen ? [seen.lost] : [])]);
  if (lost) throw new UsageError(lost.message);
}
