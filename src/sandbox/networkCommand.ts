import type { Network, NetworkGauge, NetworkMetric } from '../network.ts';
import {
  createHistogram,
  createProcessMetrics,
  listenForMetrics,
  METRICS,
  METRICS_PATH,
  sample,
} from '../program/prometheus.ts';
import { createProgress } from '../program/progress.ts';
import { createOutput, openTerminal } from '../program/terminal.ts';
import { partitionsCommand } from './partitionsCommand.ts';
import {
  readControlHosts,
  CONTROL_HOST,
  DATABASE,
  JSON_OUTPUT,
  readDatabaseUrl,
  readWait,
  seedingNote,
  untilStoppedOrLost,
  startNetwork,
} from './startNetwork.ts';
import { type Command, type Options, readSettings, type SettingsSource } from '../program/command.ts';

const OPTIONS = {
  port: { kind: 'port', default: 4600, about: 'Port to listen on; 0 for any free port.' },
  host: { kind: 'text', value: 'HOST', default: '127.0.0.1', about: 'Address to listen on.' },
  ...DATABASE,
  environment: {
    kind: 'choice',
    choices: ['staging', 'production'],
    default: 'staging',
    about: 'Only staging has the controls under /sandbox/, and it issues test keys.',
  },
  seed: {
    kind: 'choice',
    choices: ['demo', 'empty'],
    default: 'demo',
    about: 'Contents of a new database: 46 offers and 60 days of history, or one channel and one publisher.',
  },
  now: { kind: 'text', value: 'ISO', about: 'Stops the clock at this time, such as 2026-11-20T10:30:00Z.' },
  'control-host': CONTROL_HOST,
  'public-url': {
    kind: 'text',
    value: 'URL',
    about: 'URL at which others reach the network, such as https://partner.example. By default that of each request.',
  },
  'trusted-proxy': {
    kind: 'list',
    value: 'ADDRESS',
    about:
      'IP address or network of a proxy, such as 10.0.0.0/8, whose X-Forwarded-Proto is used; the host is then that of each request.',
  },
  ...METRICS,
  'show-keys': { kind: 'flag', about: 'In production, issues new first keys, prints them and revokes the old ones.' },
  json: JSON_OUTPUT,
} as const satisfies Options;
/** The demo shop shows as many. Ten offers below each other are a wall. */
const DEMO_OFFERS = 3;

/** `offerlet network`: the sandbox network on its own. */
export const networkCommand: Command = {
  summary: 'Runs the sandbox network on its own.',
  options: OPTIONS,
  subcommands: { partitions: partitionsCommand },
  run: runNetwork,
};

async function runNetwork(source: SettingsSource): Promise<void> {
  const settings = readSettings(OPTIONS, source);
  const out = createOutput({ json: settings.json });
  const metrics = createNetworkMetrics();
  const start = {
    ...settings,
    networkUrl: settings['public-url'],
    trustedProxies: settings['trusted-proxy'],
    ...(settings['metrics-port'] !== undefined && { onMetric: metrics.record }),
    databaseUrl: readDatabaseUrl(settings['database-url'], { argv: source.argv, out }),
    wait: readWait(settings.wait),
    controlHosts: readControlHosts(settings['control-host']),
    showKeys: settings['show-keys'],
    maxOffers: settings.seed === 'demo' ? DEMO_OFFERS : undefined,
  };
  out.say(`Starting the network.${seedingNote(start)}`);
  const progress = createProgress(openTerminal({ env: source.env }));
  const { network, server } = await startNetwork({ ...start, onProgress: progress.step }).finally(progress.end);
  const description = network.describe();
  const measured = await listenForMetrics(() => metrics.text(network.gauges()), settings);
  // Whoever reads the first line may stop this process at once.
  const ending = untilStoppedOrLost(network, measured ? [server, measured] : [server]);
  out.json({ url: server.url, ...(measured && { metricsUrl: measured.url + METRICS_PATH }), ...description });
  out.say(`Network   ${server.url}  (${description.environment}, channel ${description.channel.name})`);
  for (const [kind, key] of Object.entries(description.keys)) out.say(`${kind.padEnd(20)} ${key}`);
  if (measured) out.say(`Metrics   ${measured.url}${METRICS_PATH}`);
  if (Object.keys(description.keys).length === 0)
    out.say('The keys were printed at the first start. --show-keys issues new ones and revokes those.');
  for (const line of introductionOf(description, server.url)) out.say(line);
  out.say('Press Ctrl-C to stop.');
  await ending;
}

/** Says who the keys belong to, which lines a relay and a report need in a shell, and what describes the interfaces. */
function introductionOf({ publisher, keys }: ReturnType<Network['describe']>, url: string): string[] {
  const { integration, management } = keys;
  return [
    `\nYou are   ${publisher.brand_name}, publisher ${publisher.publisher_remote_id}`,
    ...(integration
      ? [`Relay     in its shell:\nexport OFFERLET_NETWORK=${url}\nexport OFFERLET_API_KEY=${integration}`]
      : []),
    ...(management
      ? [`Report    OFFERLET_NETWORK=${url} OFFERLET_API_KEY=${management} npx offerlet-operator report --by publisher`]
      : []),
    `Contract  ${url}/openapi.yaml\n`,
  ];
}

const COUNTERS = {
  events_accepted: 'Events that the network took, duplicates included.',
  events_refused: 'Events that it refused.',
} as const satisfies Record<Exclude<NetworkMetric['name'], 'request'>, string>;

const GAUGES = {
  billing_due: 'Sessions whose clicks and conversions wait to be billed.',
  database_busy: 'Connections of the database that work.',
  database_waiting: 'Requests that wait for a connection of the database.',
} as const satisfies Record<NetworkGauge['name'], string>;

/** Returns what collects the measurements of a network, and writes them in the format of Prometheus. */
function createNetworkMetrics(): {
  record(metric: NetworkMetric): void;
  text(gauges: readonly NetworkGauge[]): string;
} {
  const requests = createHistogram('offerlet_network_request_duration_seconds', 'Requests of relays and operators.');
  const counts = { events_accepted: 0, events_refused: 0 };
  const processLines = createProcessMetrics('offerlet-sandbox');
  return {
    record({ name, value, ...labels }) {
      if (name === 'request') requests.add(labels, value);
      else counts[name] += value;
    },
    text(gauges) {
      const counters = (['events_accepted', 'events_refused'] as const).flatMap((name) =>
        sample(`offerlet_network_${name}_total`, {
          type: 'counter',
          help: COUNTERS[name],
          values: [[{}, counts[name]]],
        }),
      );
      const state = Object.entries(GAUGES).flatMap(([name, help]) => {
        const values = gauges
          .filter((gauge) => gauge.name === name)
          .map(({ pool, value }) => [{ pool }, value] as const);
        return values.length > 0 ? sample(`offerlet_network_${name}`, { type: 'gauge', help, values }) : [];
      });
      return `${[...counters, ...state, ...requests.lines(), ...processLines()].join('\n')}\n`;
    },
  };
}
