import type { RelayMetric, RelayMetricName } from '../relay.ts';

/** Collects what a relay measures. */
export interface Metrics {
  /** For the option `onMetric` of a relay. */
  record(metric: RelayMetric): void;
  /** Everything so far, in the text format of Prometheus. */
  text(): string;
}

/** Seconds, from a response out of memory to the timeout of events. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const COUNTERS: Readonly<Record<Exclude<RelayMetricName, 'request'>, string>> = {
  events_forwarded: 'Events sent to the network.',
  events_known: 'Duplicates that were not forwarded.',
  events_refused: 'Events that the relay refused itself.',
  answers_lost: 'Events whose response from the network never arrived, could not be read or was a server error.',
  possible_duplicates: 'Events sent again after a lost response.',
  connection_retries: 'Calls repeated because the connection failed before anything was sent.',
  breaker_opened: 'How often the circuit opened.',
  rate_limited: 'Requests refused with 429.',
  limiter_failed: 'Requests refused with 503 because the rate limiter failed.',
  key_reflected: 'Responses withheld because they contained the key.',
  dedupe_failed: 'Failures of the store of accepted events.',
  records_failed: 'Calls of onOffers and onEvents that failed, were too slow or were left out.',
};

const DURATION = 'offerlet_relay_request_duration_seconds';

interface Histogram {
  readonly buckets: number[];
  sum: number;
  count: number;
}

/** Returns metrics of one relay. Every counter begins with 0, so that its first increase is seen as one. */
export function createMetrics(): Metrics {
  const counts = new Map<string, number>(Object.keys(COUNTERS).map((name) => [name, 0]));
  const durations = new Map<string, Histogram>();

  return {
    record({ name, value, route = 'none', status = 0 }) {
      if (name !== 'request') return void counts.set(name, (counts.get(name) ?? 0) + value);
      const labels = `route="${route.replace(/^\//, '')}",status="${status}"`;
      const histogram = durations.get(labels) ?? { buckets: BUCKETS.map(() => 0), sum: 0, count: 0 };
      durations.set(labels, histogram);
      const seconds = value / 1_000;
      BUCKETS.forEach((most, at) => (histogram.buckets[at] = (histogram.buckets[at] ?? 0) + (seconds <= most ? 1 : 0)));
      histogram.sum += seconds;
      histogram.count++;
    },
    text() {
      const lines = Object.entries(COUNTERS).flatMap(([name, help]) => {
        const full = `offerlet_relay_${name}_total`;
        return [`# HELP ${full} ${help}`, `# TYPE ${full} counter`, `${full} ${counts.get(name) ?? 0}`];
      });
      lines.push(`# HELP ${DURATION} Requests of pages and backends.`, `# TYPE ${DURATION} histogram`);
      for (const [labels, { buckets, sum, count }] of durations) {
        BUCKETS.forEach((most, at) => lines.push(`${DURATION}_bucket{${labels},le="${most}"} ${buckets[at]}`));
        lines.push(
          `${DURATION}_bucket{${labels},le="+Inf"} ${count}`,
          `${DURATION}_sum{${labels}} ${sum}`,
          `${DURATION}_count{${labels}} ${count}`,
        );
      }
      return `${lines.join('\n')}\n`;
    },
  };
}
