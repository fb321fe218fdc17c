import type { RequestListener } from 'node:http';
import { RelayConfigError, type RelayGauge } from '../relay.ts';
import { FLAG_NAMES, optionsFromFlags, RELAY_FLAGS } from '../relay/options/readOptions.ts';
import { type Command, type Options, readSettings, type SettingsOf, type SettingsSource } from '../program/command.ts';
import { createMetrics } from './createMetrics.ts';
import { refusedFlag, UsageError } from '../program/ExitError.ts';
import { listen, type Listening, untilStopped } from '../program/listen.ts';
import { openRecordsFile } from './openRecordsFile.ts';
import { listenerOfShops, openShop, type OpenShop, PREFETCH_PATH, type ShopSettings } from './openShop.ts';
import { createOutput } from '../program/terminal.ts';
import { listenForMetrics, METRICS, METRICS_PATH } from '../program/prometheus.ts';
import { readKeyFile } from '../program/readKeyFile.ts';
import { readShops } from './readShops.ts';

const OPTIONS = {
  ...RELAY_FLAGS,
  'api-key-file': { kind: 'text', value: 'FILE', about: 'File with the integration key, instead of --api-key.' },
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
  'redis-prefix': {
    kind: 'text',
    value: 'TEXT',
    about: 'Prefix of every Redis key; relays with different network keys need different ones.',
  },
  shops: {
    kind: 'text',
    value: 'FILE',
    about: 'JSON file with several shops, each with its own key and options. The other options are for all of them.',
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
  'events-to': {
    kind: 'text',
    value: 'FILE',
    about: 'File that each record of offers and of accepted events is added to, as a line of JSON.',
  },
  ...METRICS,
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

async function runRelay(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createOutput({ json: settings.json });
  const log = (entry: object | string): void => out.log(entry);
  const all = readSettingsOfShops(settings, log);
  const metrics = createMetrics(all.map(({ name }) => name));
  const { 'events-to': path, 'metrics-port': metricsPort, 'prefetch-port': prefetchPort } = settings;
  const records = path === undefined ? undefined : openRecordsFile(path);
  const shops = await Promise.all(
    all.map((each) => {
      const add = (record: object): Promise<void> | undefined =>
        records?.add(each.name === undefined ? record : { shop: each.name, ...record });
      const hooks = {
        ...(metricsPort !== undefined && { onMetric: metrics.record }),
        ...(records && { onOffers: add, onEvents: add }),
      };
      return openShop(each, { log, ...hooks });
    }),
  );
  const [only] = shops;
  const isOne = only !== undefined && only.name === undefined;
  const server = await listen(isOne ? only.listener : listenerOfShops(shops, log), settings);
  const backends = await listenForBackends(shops, prefetchPort);
  const gauges = (): readonly RelayGauge[] =>
    shops.flatMap(({ relay, name }) =>
      relay.gauges().map((gauge) => (name === undefined ? gauge : { ...gauge, shop: name })),
    );
  const measured = await listenForMetrics(() => metrics.text(gauges()), settings);
  const servers = [server, backends, measured].filter((each) => each !== undefined);
  const stores = shops.flatMap(({ store }) => store ?? []);
  // Before anybody reads that it runs: whoever reads it may stop it at once.
  const stopped = untilStopped(servers, [...stores, ...(records ? [records] : [])]);
  out.json({
    url: server.url,
    ...(backends && { prefetchUrl: backends.url + PREFETCH_PATH }),
    ...(measured && { metricsUrl: measured.url + METRICS_PATH }),
  });
  for (const [at, { name, hosts, basePath }] of shops.entries()) {
    const { networkUrl, version } = all[at]?.options ?? {};
    const place = name === undefined ? '' : `  ${name} at ${hosts.join(', ') || 'every host'}`;
    out.say(`Relay     ${server.url}${basePath}${place}  →  ${networkUrl}, version ${version}`);
  }
  if (backends) out.say(`Prefetch  ${backends.url}${PREFETCH_PATH}${isOne ? '' : '/NAME'}`);
  if (measured) out.say(`Metrics   ${measured.url}${METRICS_PATH}`);
  if (stores.length === 0)
    out.say('Ledger    none, because accepted events are remembered in memory only. Use --data DIR.');
  out.say('Press Ctrl-C to stop.');
  const lost = await Promise.race([stopped, ...stores.flatMap((store) => store.lost ?? [])]);
  if (lost) throw new UsageError(lost.message);
}

/** Returns the settings of the one shop that the flags are about, or of those in the file of `--shops`. */
function readSettingsOfShops(
  settings: SettingsOf<typeof OPTIONS>,
  log: (entry: string) => void,
): readonly ShopSettings[] {
  const { shops, context, data, redis, 'redis-prefix': prefix, 'api-key-file': keyFile } = settings;
  const { 'context-secret': contextSecret, 'prefetch-token': prefetchToken, network } = settings;
  const options = optionsFromFlags(settings);
  if (keyFile !== undefined && options.apiKey !== undefined)
    throw new UsageError('--api-key-file and OFFERLET_API_KEY are two keys. Use one of them.');
  if (shops !== undefined) {
    for (const [flag, field] of Object.entries(OF_ONE_SHOP))
      if (settings[flag as keyof typeof OF_ONE_SHOP] !== undefined)
        throw new UsageError(`--${flag} is for one shop. With --shops, write ${field} for each shop in the file.`);
    return readShops(shops, { options, data, redis, redisPrefix: prefix ?? DEFAULT_PREFIX, note: log });
  }
  if (network === undefined)
    throw new UsageError('--network is missing: use --network https://partner.example, or set OFFERLET_NETWORK.');
  const apiKey = keyFile === undefined ? options.apiKey : readKeyFile('--api-key-file', keyFile, log);
  if (apiKey === undefined)
    throw new UsageError('The integration key is missing: set OFFERLET_API_KEY, or use --api-key-file FILE.');
  const one = { name: undefined, hosts: [], context, contextSecret, prefetchToken, data, redis, redisPrefix: prefix };
  return [{ ...one, options: { ...options, apiKey } }];
}

/** Flags that must not be the default of several shops, and what the file of shops calls them. */
const OF_ONE_SHOP = {
  'api-key': 'apiKey',
  'api-key-file': 'apiKeyFile',
  context: 'context',
  'context-secret': 'contextSecret',
  'prefetch-token': 'prefetchToken',
} as const satisfies Partial<Record<keyof typeof OPTIONS, string>>;
/** The prefix of `openDedupeRedis`; several shops have their name after it. */
const DEFAULT_PREFIX = 'offerlet:dedupe:';

/** Serves `/prefetch` on a separate port, `/prefetch/NAME` for several shops: proxies forward the other one to the internet. */
async function listenForBackends(shops: readonly OpenShop[], port: number | undefined): Promise<Listening | undefined> {
  if (port === undefined) return undefined;
  const routes = new Map(
    shops.map(({ name, backends }) => [name === undefined ? PREFETCH_PATH : `${PREFETCH_PATH}/${name}`, backends]),
  );
  const listener: RequestListener = (request, response) => {
    const route = routes.get(request.url ?? '');
    if (route) route(request, response);
    else response.writeHead(404).end();
  };
  return listen(listener, { port, portOption: '--prefetch-port' });
}
