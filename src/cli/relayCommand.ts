import type { RequestListener } from 'node:http';
import { renderOffers } from 'offerlet/html';
import { readHostName } from '../http/refuseForeign.ts';
import { openDedupeRedis } from '../relay-redis.ts';
import {
  checkNetwork,
  createRelay,
  type DedupeStore,
  openDedupeFile,
  type Relay,
  RelayConfigError,
  type RelayTimeouts,
  toNode,
} from '../relay.ts';
import { isLoopbackAddress, isLoopbackHost } from '../wire/keys.ts';
import { FLAG_NAMES, optionsFromFlags, RELAY_FLAGS } from '../relay/options/readOptions.ts';
import { createPrefetchRoute } from '../relay/prefetchRoute.ts';
import { type Command, type Options, readSettings, type SettingsSource } from './command.ts';
import { createMetrics, type Metrics } from './createMetrics.ts';
import { createShopContext, SHOP_CONTEXT_MS } from './createShopContext.ts';
import { refusedFlag, UsageError } from './ExitError.ts';
import { listen, type Listening, untilStopped } from './listen.ts';
import { createOutput } from './output/terminal.ts';

const OPTIONS = {
  ...RELAY_FLAGS,
  port: { kind: 'port', default: 4601, about: 'Port to listen on; 0 for any free port.' },
  host: { kind: 'text', value: 'HOST', default: '127.0.0.1', about: 'Address to listen on.' },
  data: {
    kind: 'text',
    value: 'DIR',
    about: 'Directory that remembers accepted events across restarts, and counts them for a second count.',
  },
  redis: {
    kind: 'text',
    value: 'URL',
    about: 'Redis that remembers accepted events for several relays, instead of --data. Set OFFERLET_REDIS instead.',
  },
  context: {
    kind: 'text',
    value: 'URL',
    about: "URL of your backend that the relay asks for the order's data before each request for offers.",
  },
  'context-secret': {
    kind: 'text',
    value: 'SECRET',
    about: 'What the relay sends to that URL as Authorization: Bearer …. Set OFFERLET_CONTEXT_SECRET instead.',
  },
  'metrics-port': { kind: 'port', about: 'Port of GET /metrics in the format of Prometheus; 0 for any free port.' },
  'metrics-host': { kind: 'text', value: 'HOST', default: '127.0.0.1', about: 'Address of that port.' },
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

/** `offerlet relay`: the relay as a separate process, for merchants whose backend is not JavaScript. */
export const relayCommand: Command = {
  summary: 'Runs the relay on its own, for backends that are not JavaScript.',
  options: OPTIONS,
  async run(source) {
    try {
      await runRelay(source);
    } catch (error) {
      throw error instanceof RelayConfigError ? refusedFlag(error, { ...FLAG_NAMES, url: '--redis' }) : error;
    }
  },
};

/** Opens the store of accepted events that the settings name. */
async function openDedupe(
  { data, redis }: { data: string | undefined; redis: string | undefined },
  { timeouts, onLog }: { timeouts: Partial<RelayTimeouts>; onLog: (entry: object) => void },
): Promise<OpenDedupe | undefined> {
  if (data !== undefined && redis !== undefined)
    throw new UsageError('--data and --redis are two places for the same events. Use one of them.');
  if (data !== undefined) return openDedupeFile(data, { onLog });
  if (redis === undefined) return undefined;
  const { events = EVENTS_MS, dedupe = DEDUPE_MS } = timeouts;
  // Longer than an event can be on its way, or another relay would send it again.
  return openDedupeRedis({ url: redis, claimMs: Math.max(CLAIM_MS, 2 * (events + dedupe)) });
}

type OpenDedupe = DedupeStore & { readonly lost?: Promise<Error>; close(): Promise<void> };

/** The defaults of a relay's timeouts, and of a claim. */
const EVENTS_MS = 8_000;
const DEDUPE_MS = 2_000;
const CLAIM_MS = 20_000;

/** Returns the relay's listener: with a token, it serves `/prefetch` as well. */
function listenerOf(
  relay: Relay,
  {
    settings,
    onLog,
  }: {
    settings: { 'prefetch-token': string | undefined; 'base-path': string };
    onLog: (entry: object) => void;
  },
): RequestListener {
  const forPages = toNode(relay);
  const { 'prefetch-token': token } = settings;
  if (token === undefined) return forPages;
  if (token.length < TOKEN_MIN_LENGTH)
    throw new UsageError(`OFFERLET_PREFETCH_TOKEN is too short. Use ${TOKEN_MIN_LENGTH} random characters or more.`);
  const path = settings['base-path'].replace(/\/$/, '') + PREFETCH_PATH;
  const forBackends = createPrefetchRoute({ relay, token, onLog, render: renderOffers });
  return (request, response) => (request.url === path ? forBackends : forPages)(request, response);
}

/** Serves `/prefetch` on a separate port: proxies forward the other one to the internet. */
async function listenForBackends(
  relay: Relay,
  { port, onLog }: { port: number | undefined; onLog: (entry: object) => void },
): Promise<Listening | undefined> {
  if (port === undefined) return undefined;
  const forBackends = createPrefetchRoute({ relay, onLog, render: renderOffers });
  const listener: RequestListener = (request, response) => {
    if (request.url === PREFETCH_PATH) forBackends(request, response);
    else response.writeHead(404).end();
  };
  return listen(listener, { port, portOption: '--prefetch-port' });
}

/** Serves `/metrics` on a separate port: the numbers of a shop are not public. */
async function listenForMetrics(
  metrics: Metrics,
  { 'metrics-port': port, 'metrics-host': host }: { 'metrics-port': number | undefined; 'metrics-host': string },
): Promise<Listening | undefined> {
  if (port === undefined) return undefined;
  const isOpen = !isLoopbackHost(host) && !isLoopbackAddress(host);
  const listener: RequestListener = ({ url, method, headers }, response) => {
    // A page whose host name leads here after all is a stranger.
    if (!isOpen && !isLoopbackHost(readHostName(headers.host ?? '') ?? '')) return response.writeHead(403).end();
    if (url !== METRICS_PATH) return response.writeHead(404).end();
    if (method !== 'GET') return response.writeHead(405, { allow: 'GET' }).end();
    return response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(metrics.text());
  };
  return listen(listener, { port, host, portOption: '--metrics-port' });
}

const METRICS_PATH = '/metrics';

async function runRelay(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createOutput({ json: settings.json });
  const { network: networkUrl, 'api-key': apiKey, version } = settings;
  if (networkUrl === undefined)
    throw new UsageError('--network is missing: use --network https://partner.example, or set OFFERLET_NETWORK.');
  if (apiKey === undefined)
    throw new UsageError('The integration key is missing: set OFFERLET_API_KEY, or use --api-key.');
  const { warning } = await checkNetwork({ apiKey, networkUrl });
  if (warning !== undefined) out.log(`offerlet relay: ${warning}`);
  const onLog = (entry: object): void => out.log(entry);
  const given = optionsFromFlags(settings);
  const timeouts = { context: SHOP_CONTEXT_MS, ...given.timeouts };
  const { context: url, 'context-secret': secret } = settings;
  const metrics = createMetrics();
  const dedupe = await openDedupe(settings, { timeouts, onLog });
  const relay = createRelay({
    ...given,
    apiKey,
    networkUrl,
    version,
    dedupe,
    context: url === undefined ? undefined : createShopContext({ url, secret, timeoutMs: timeouts.context }),
    timeouts,
    onLog,
    ...(settings['metrics-port'] !== undefined && { onMetric: metrics.record }),
  });
  const server = await listen(listenerOf(relay, { settings, onLog }), settings);
  const backends = await listenForBackends(relay, { port: settings['prefetch-port'], onLog });
  const measured = await listenForMetrics(metrics, settings);
  const servers = [server, backends, measured].filter((each) => each !== undefined);
  // Before anybody reads that it runs: whoever reads it may stop it at once.
  const stopped = untilStopped(servers, dedupe ? [dedupe] : []);
  out.json({
    url: server.url,
    ...(backends && { prefetchUrl: backends.url + PREFETCH_PATH }),
    ...(measured && { metricsUrl: measured.url + METRICS_PATH }),
  });
  out.say(`Relay     ${server.url}${settings['base-path'].replace(/\/$/, '')}  →  ${networkUrl}, version ${version}`);
  if (backends) out.say(`Prefetch  ${backends.url}${PREFETCH_PATH}`);
  if (measured) out.say(`Metrics   ${measured.url}${METRICS_PATH}`);
  if (!dedupe) out.say('Ledger    none, because accepted events are remembered in memory only. Use --data DIR.');
  out.say('Press Ctrl-C to stop.');
  const lost = await Promise.race([stopped, ...(dedupe?.lost ? [dedupe.lost] : [])]);
  if (lost) throw new UsageError(lost.message);
}

/** The path of the route, below where it is mounted. */
const PREFETCH_PATH = '/prefetch';
/** Shortest token: nobody guesses 24 random characters. */
const TOKEN_MIN_LENGTH = 24;
