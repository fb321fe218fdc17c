import type { RelayGauge, RelayGaugeName, RelayMetric, RelayMetricName } from '../relay.ts';
import { createHistogram, createProcessMetrics, sample } from '../program/prometheus.ts';

/** Collects what relays measure. */
export interface Metrics {
  /** For the option `onMetric` of a relay. */
  record(metric: RelayMetric): void;
  /** Everything so far, in the text format of Prometheus. */
  text(gauges: readonly RelayGauge[]): string;
}

const COUNTERS: Readonly<Record<Exclude<RelayMetricName, 'request' | 'network_request'>, string>> = {
  events_forwarded: 'Events sent to the network.',
  events_known: 'Duplicates that were not forwarded.',
  events_refused: 'Events that the relay refused itself.',
  answers_lost: 'Events that the network may have stored: the response was lost or unclear, a redirect (3xx) or a 5xx.',
  possible_duplicates: 'Events sent again although the network may have stored them.',
  connection_retries: 'Calls repeated because the connection failed before anything was sent.',
  breaker_opened: 'How often the circuit opened.',
  rate_limited: 'Requests refused with 429.',
  limiter_failed: 'Requests refused with 503 because the rate limiter failed.',
  key_reflected: 'Responses withheld because they contained the key.',
  dedupe_failed: 'Failures of the store of accepted events.',
  records_failed: 'Calls of onOffers and onEvents that failed, were too slow or were left out.',
};

const GAUGES: Readonly<Record<RelayGaugeName, string>> = {
  circuit_open: '1 while the circuit of a path of the network is open.',
  network_down: '1 while the network fails or refuses the key, as real calls found it.',
  remembered_events: 'Accepted events that the store remembers.',
  owed_events: 'Accepted events that the store failed to write so far.',
};

/**
 * Returns metrics of relays. Every counter of each of the shops begins with 0, so that its first increase is seen as one;
 * without shops there is no label for them.
 */
export function createMetrics(shops: readonly (string | undefined)[] = [undefined]): Metrics {
  const counts = new Map<string, number>();
  const requests = createHistogram('offerlet_relay_request_duration_seconds', 'Requests of pages and backends.');
  const calls = createHistogram(
    'offerlet_relay_network_duration_seconds',
    'Calls of the network; status 0 is one without a response.',
  );
  const processLines = createProcessMetrics();

  return {
    record({ name, value, shop, route = 'none', status = 0 }) {
      const labels = { shop, route: route.replace(/^\//, ''), status };
      if (name === 'request') requests.add(labels, value);
      else if (name === 'network_request') calls.add(labels, value);
      else counts.set(`${name} ${shop}`, (counts.get(`${name} ${shop}`) ?? 0) + value);
    },
    text(gauges) {
      const counters = Object.entries(COUNTERS).flatMap(([name, help]) => {
        const values = shops.map((shop) => [{ shop }, counts.get(`${name} ${shop}`) ?? 0] as const);
        return sample(`offerlet_relay_${name}_total`, { type: 'counter', help, values });
      });
      const state = Object.entries(GAUGES).flatMap(([name, help]) => {
        const values = gauges
          .filter((gauge) => gauge.name === name)
          .map(({ shop, route, value }) => [{ shop, route: route?.replace(/^\//, '') }, value] as const);
        return sample(`offerlet_relay_${name}`, { type: 'gauge', help, values });
      });
      return `${[...counters, ...state, ...requests.lines(), ...calls.lines(), ...processLines()].join('\n')}\n`;
    },
  };
}
