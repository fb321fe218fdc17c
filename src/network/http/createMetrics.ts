/** Counts the requests of this process, for `/sandbox/metrics`. */
export interface Metrics {
  /** Counts one response. */
  observe(response: {
    readonly route: string;
    readonly method: string;
    readonly status: number;
    readonly ms: number;
  }): void;
  /** The counters in Prometheus' text format. */
  text(): string;
}

interface Series {
  count: number;
  seconds: number;
}

/** Counters of one process, all at zero. */
export function createMetrics(now: () => number = () => performance.now()): Metrics {
  const series = new Map<string, Series>();
  const started = now();
  return {
    observe({ route, method, status, ms }) {
      const labels = `method="${escape(method)}",route="${escape(route)}",status="${status}"`;
      const entry = series.get(labels) ?? { count: 0, seconds: 0 };
      series.set(labels, { count: entry.count + 1, seconds: entry.seconds + ms / 1_000 });
    },
    text() {
      const lines = [...series].toSorted(([a], [b]) => (a < b ? -1 : 1));
      return [
        '# HELP offerlet_requests_total Requests that got a response.',
        '# TYPE offerlet_requests_total counter',
        ...lines.map(([labels, { count }]) => `offerlet_requests_total{${labels}} ${count}`),
        '# HELP offerlet_request_seconds_total Seconds spent on responding.',
        '# TYPE offerlet_request_seconds_total counter',
        ...lines.map(([labels, { seconds }]) => `offerlet_request_seconds_total{${labels}} ${seconds.toFixed(6)}`),
        '# HELP offerlet_uptime_seconds Seconds since this process started.',
        '# TYPE offerlet_uptime_seconds gauge',
        `offerlet_uptime_seconds ${((now() - started) / 1_000).toFixed(3)}`,
        '# HELP offerlet_memory_bytes Resident memory of this process.',
        '# TYPE offerlet_memory_bytes gauge',
        `offerlet_memory_bytes ${process.memoryUsage.rss()}`,
        '',
      ].join('\n');
    },
  };
}

function escape(label: string): string {
  return label.replaceAll(/["\\\n]/g, '_').slice(0, 200);
}
