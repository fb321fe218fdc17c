/** What the relay counts. */
export type RelayMetricName =
  /** One request from a page; `value` is its milliseconds. */
  | 'request'
  /** Events that the network was asked to take. */
  | 'events_forwarded'
  /** Events that were accepted before and went no further. */
  | 'events_known'
  /** Events that the relay refused by itself. */
  | 'events_refused'
  /** Events whose answer from the network never came or could not be read. */
  | 'answers_lost'
  /** Events forwarded again after a lost answer: the one case in which the network can count twice. */
  | 'possible_duplicates'
  /** Calls repeated because the first connection failed before anything was sent. */
  | 'connection_retries'
  /** The circuit breaker opened. */
  | 'breaker_opened'
  /** A request was answered 429 by the relay. */
  | 'rate_limited'
  /** An answer of the network held the key and was kept back. */
  | 'key_reflected'
  /** The store of accepted ids failed. */
  | 'seen_failed';

/** One measurement. */
export interface RelayMetric {
  readonly name: RelayMetricName;
  readonly value: number;
  readonly route?: string;
  readonly status?: number;
}

/** Counts something; never throws into the relay. */
export type Measure = (metric: RelayMetric) => void;

/** A `Measure` around the merchant's `onMetric`. */
export function createMeasure(onMetric: ((metric: RelayMetric) => void) | undefined): Measure {
  return (metric) => {
    try {
      onMetric?.(metric);
    } catch {
      // A metric that fails must not fail a request.
    }
  };
}
