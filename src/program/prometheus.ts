import type { RequestListener } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { readHostName } from '../http/refuseForeign.ts';
import { isLoopbackAddress, isLoopbackHost } from '../wire/keys.ts';
import type { Options } from './command.ts';
import { listen, type Listening } from './listen.ts';
import { installedVersion } from './runCommands.ts';

// Metrics in the text format of Prometheus, and the port on which commands serve them.

/** The options of a command that serves metrics. */
export const METRICS = {
  'metrics-port': { kind: 'port', about: 'Port of GET /metrics in the format of Prometheus; 0 for any free port.' },
  'metrics-host': { kind: 'text', value: 'HOST', default: '127.0.0.1', about: 'Address of that port.' },
} as const satisfies Options;

/** The path of the metrics. */
export const METRICS_PATH = '/metrics';

/** Labels by name; one without a value is left out. */
type Labels = Readonly<Record<string, string | number | undefined>>;

/** Returns the lines of a counter or a gauge: nothing for one without values. */
export function sample(
  name: string,
  is: { type: 'counter' | 'gauge'; help: string; values: readonly (readonly [Labels, number])[] },
): string[] {
  if (is.values.length === 0) return [];
  const lines = is.values.map(([labels, value]) => `${name}${written(labels)} ${value}`);
  return [`# HELP ${name} ${is.help}`, `# TYPE ${name} ${is.type}`, ...lines];
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? '' : `{${pairs.map(([name, value]) => `${name}="${escaped(String(value))}"`).join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}

/** Seconds, from a response out of memory to the timeout of events. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Durations, by their labels. */
export interface Histogram {
  add(labels: Labels, ms: number): void;
  lines(): string[];
}

/** Returns a histogram of durations in seconds. */
export function createHistogram(name: string, help: string): Histogram {
  const all = new Map<string, { labels: Labels; buckets: number[]; sum: number; count: number }>();
  return {
    add(labels, ms) {
      const key = written(labels);
      const one = all.get(key) ?? { labels, buckets: BUCKETS.map(() => 0), sum: 0, count: 0 };
      all.set(key, one);
      const seconds = ms / 1_000;
      BUCKETS.forEach((most, at) => (one.buckets[at] = (one.buckets[at] ?? 0) + (seconds <= most ? 1 : 0)));
      one.sum += seconds;
      one.count++;
    },
    lines() {
      const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
      for (const { labels, buckets, sum, count } of all.values()) {
        const steps = [...buckets.map((value, at) => [BUCKETS[at], value] as const), ['+Inf', count] as const];
        lines.push(...steps.map(([le, value]) => `${name}_bucket${written({ ...labels, le })} ${value}`));
        lines.push(`${name}_sum${written(labels)} ${sum}`, `${name}_count${written(labels)} ${count}`);
      }
      return lines;
    },
  };
}

/** Returns what describes this process, by the names that Prometheus' own clients use, and the build. */
export function createProcessMetrics(from?: string): () => string[] {
  const delay = monitorEventLoopDelay();
  delay.enable();
  const started = Date.now() / 1_000 - process.uptime();
  return () => {
    const { rss, heapUsed } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const gauge = (name: string, help: string, value: number): string[] =>
      sample(name, { type: 'gauge', help, values: [[{}, value]] });
    const build = { version: installedVersion(from), node: process.version };
    const late = delay.percentile(99) / 1e9;
    delay.reset();
    return [
      ...sample('offerlet_build_info', { type: 'gauge', help: 'Versions, as labels.', values: [[build, 1]] }),
      ...sample('process_cpu_seconds_total', {
        type: 'counter',
        help: 'Processor time.',
        values: [[{}, (user + system) / 1e6]],
      }),
      ...gauge('process_start_time_seconds', 'When the process started.', started),
      ...gauge('process_resident_memory_bytes', 'Resident memory.', rss),
      ...gauge('nodejs_heap_size_used_bytes', 'Used heap.', heapUsed),
      ...gauge('nodejs_eventloop_lag_p99_seconds', 'Delay of the event loop since the last scrape.', late),
    ];
  };
}

/** Serves `/metrics` on a separate port: the numbers of a shop are not public. */
export async function listenForMetrics(
  text: () => string,
  { 'metrics-port': port, 'metrics-host': host }: { 'metrics-port': number | undefined; 'metrics-host': string },
): Promise<Listening | undefined> {
  if (port === undefined) return undefined;
  const isOpen = !isLoopbackHost(host) && !isLoopbackAddress(host);
  const listener: RequestListener = ({ url, method, headers }, response) => {
    // A page whose host name leads here after all is a stranger.
    if (!isOpen && !isLoopbackHost(readHostName(headers.host ?? '') ?? '')) return response.writeHead(403).end();
    if (url !== METRICS_PATH) return response.writeHead(404).end();
    if (method !== 'GET') return response.writeHead(405, { allow: 'GET' }).end();
    return response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text());
  };
  return listen(listener, { port, host, portOption: '--metrics-port' });
}
