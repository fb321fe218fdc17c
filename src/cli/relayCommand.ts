import type { RequestListener } from 'node:http';
import { checkNetwork, createRelay, openDedupeFile, RelayConfigError, toNode, type Relay } from '../relay.ts';
import type { Command } from './command.ts';
import { createPrefetchRoute, PREFETCH_PATH, TOKEN_MIN_LENGTH } from './createPrefetchRoute.ts';
import { createOutput } from './output/createOutput.ts';
import { listen, type Listening } from './listen.ts';
import type { Options } from './options.ts';
import { readSettings, type SettingsSource } from './readSettings.ts';
import { untilStopped } from './listen.ts';
import { UsageError } from './UsageError.ts';

const OPTIONS = {
  network: { kind: 'text', value: 'URL', about: 'URL of the network, such as https://partner.example. Required.' },
  'api-key': {
    kind: 'text',
    value: 'KEY',
    about: 'Integration key. Required. Other users of this machine can see it, so set OFFERLET_API_KEY instead.',
  },
  // The version of the Recommendations API that this release was tested with.
  version: { kind: 'text', value: 'VERSION', default: '1.0.0', about: 'Version of the Recommendations API.' },
  environment: {
    kind: 'choice',
    choices: ['staging', 'production'],
    about: 'Refuses to start when the key is for the other environment.',
  },
  port: { kind: 'port', default: 4601, about: 'Port to listen on; 0 for any free port.' },
  host: { kind: 'text', value: 'HOST', default: '127.0.0.1', about: 'Address to listen on.' },
  'base-path': { kind: 'text', value: 'PATH', default: '/', about: 'Path at which the relay is mounted.' },
  'allow-origin': {
    kind: 'list',
    value: 'ORIGIN',
    about: 'Another origin whose pages may use the relay, such as https://shop.example.',
  },
  'address-header': {
    kind: 'text',
    value: 'NAME',
    about: "Header with the shopper's IP address that your reverse proxy sets, such as x-forwarded-for.",
  },
  sandbox: { kind: 'flag', about: 'Marks every request as a test.' },
  'forward-event-ids': { kind: 'flag', about: 'Forwards event_id, for networks that detect duplicates by it.' },
  emails: {
    kind: 'choice',
    choices: ['hash', 'raw'],
    default: 'hash',
    about: "How the shopper's email is sent to the network.",
  },
  data: {
    kind: 'text',
    value: 'DIR',
    about: 'Directory that remembers accepted events across restarts, and counts them for a second count.',
  },
  'prefetch-port': {
    kind: 'port',
    about: 'Port of 127.0.0.1 on which backends of this machine may POST /prefetch; 0 for any free port.',
  },
  'prefetch-token': {
    kind: 'text',
    value: 'TOKEN',
    about: 'Lets backends of other machines POST /prefetch below the base path. Set OFFERLET_PREFETCH_TOKEN instead.',
  },
  json: { kind: 'flag', about: 'Prints one JSON object as the first line of output.' },
} as const satisfies Options;

/** `offerlet relay`: the relay as a process of its own, for merchants whose backend is not JavaScript. */
export const relayCommand: Command = {
  summary: 'Runs the relay on its own, for backends that are not JavaScript.',
  options: OPTIONS,
  async run(source) {
    try {
      await runRelay(source);
    } catch (error) {
      if (error instanceof RelayConfigError) throw new UsageError(inFlags(error));
      throw error;
    }
  },
};

/** What the options of `createRelay` are called on the command line. */
const FLAGS: Readonly<Record<string, string>> = {
  apiKey: 'OFFERLET_API_KEY',
  baseUrl: '--network',
  basePath: '--base-path',
  allowedOrigins: '--allow-origin',
  addressHeader: '--address-header',
  version: '--version',
  environment: '--environment',
  emails: '--emails',
};

function inFlags({ option, problem, message }: RelayConfigError): string {
  const flag = option === undefined ? undefined : FLAGS[option];
  return flag === undefined ? message : `${flag} ${problem}`;
}

/** Returns the relay's listener: with a token, it serves `/prefetch` as well. */
function listenerOf(
  relay: Relay,
  settings: { 'prefetch-token': string | undefined; 'base-path': string },
): RequestListener {
  const forPages = toNode(relay);
  const { 'prefetch-token': token } = settings;
  if (token === undefined) return forPages;
  if (token.length < TOKEN_MIN_LENGTH)
    throw new UsageError(`OFFERLET_PREFETCH_TOKEN is too short. Use ${TOKEN_MIN_LENGTH} random characters or more.`);
  const path = settings['base-path'].replace(/\/$/, '') + PREFETCH_PATH;
  const forBackends = toNode(createPrefetchRoute(relay, token));
  return (request, response) => (request.url === path ? forBackends : forPages)(request, response);
}

/** Serves `/prefetch` on a port of its own: proxies forward the other one to the world. */
async function listenForBackends(relay: Relay, port: number | undefined): Promise<Listening | undefined> {
  if (port === undefined) return undefined;
  const forBackends = toNode(createPrefetchRoute(relay));
  const listener: RequestListener = (request, response) => {
    if (request.url === PREFETCH_PATH) forBackends(request, response);
    else response.writeHead(404).end();
  };
  return listen(listener, { port, portOption: '--prefetch-port' });
}

async function runRelay(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createOutput({ json: settings.json });
  const { network: baseUrl, 'api-key': apiKey, version } = settings;
  if (baseUrl === undefined)
    throw new UsageError('--network is missing. Use something like --network https://partner.example.');
  if (apiKey === undefined)
    throw new UsageError('The integration key is missing: set OFFERLET_API_KEY, or use --api-key.');
  const { warning } = await checkNetwork({ apiKey, baseUrl });
  if (warning !== undefined) out.log(`offerlet relay: ${warning}`);
  const onLog = (entry: object): void => out.log(entry);
  const dedupe = settings.data === undefined ? undefined : await openDedupeFile(settings.data, { onLog });
  const relay = createRelay({
    apiKey,
    baseUrl,
    version,
    dedupe,
    environment: settings.environment,
    basePath: settings['base-path'],
    allowedOrigins: settings['allow-origin'],
    sandbox: settings.sandbox,
    forwardEventIds: settings['forward-event-ids'],
    addressHeader: settings['address-header'],
    emails: settings.emails,
    onLog,
  });
  const server = await listen(listenerOf(relay, settings), settings);
  const backends = await listenForBackends(relay, settings['prefetch-port']);
  out.json({ url: server.url, ...(backends && { prefetchUrl: backends.url + PREFETCH_PATH }) });
  out.say(`Relay     ${server.url}  →  ${baseUrl}, version ${version}`);
  if (backends) out.say(`Prefetch  ${backends.url}${PREFETCH_PATH}`);
  if (!dedupe) out.say('Ledger    none, because accepted events are remembered in memory only. Use --data DIR.');
  out.say('Press Ctrl-C to stop.');
  const stopped = untilStopped([server, ...(backends ? [backends] : []), ...(dedupe ? [dedupe] : [])]);
  const lost = await Promise.race([stopped, ...(dedupe ? [dedupe.lost] : [])]);
  if (lost) throw new UsageError(lost.message);
}
