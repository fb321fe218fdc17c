import { ERRORS_URL } from '../wire/errors.ts';
import { createSecrets } from '../text/printable.ts';

/** One line of log: ids, routes and times, never personal data, never a key. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly message: string;
  /** Which one, where there are several shops. */
  readonly shop?: string;
  readonly request_id?: string;
  readonly route?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly events?: number;
  /** The code of an error of the relay's own, such as `invalid_request`: docs/errors.md#relay has its cause and cure. */
  readonly code?: string;
  readonly error?: string;
}

/** What the relay counts. */
export type RelayMetricName =
  /** One call of the network; `value` is its milliseconds, `status` is 0 for one without a response. */
  | 'network_request'
  /** One request from a page; `value` is its milliseconds. */
  | 'request'
  /** Events sent to the network. */
  | 'events_forwarded'
  /** Events that were accepted before and were not sent again. */
  | 'events_known'
  /** Events that the relay refused itself. */
  | 'events_refused'
  /** Events that the network may have stored: its response was lost or unclear, or was a redirect (3xx) or a server error (5xx). */
  | 'answers_lost'
  /** Events sent again although the network may have stored them, without an id that it could recognize. */
  | 'possible_duplicates'
  /** Calls repeated because the first connection failed before anything was sent. */
  | 'connection_retries'
  /** The circuit breaker opened. */
  | 'breaker_opened'
  /** The relay returned a 429. */
  | 'rate_limited'
  /** The rate limiter failed. */
  | 'limiter_failed'
  /** A response of the network contained the key and was withheld. */
  | 'key_reflected'
  /** The store of accepted events failed. */
  | 'dedupe_failed'
  /** Calls of `onOffers` and `onEvents` that failed, were too slow, or were left out because too many waited. */
  | 'records_failed';

/** One measurement. */
export interface RelayMetric {
  readonly name: RelayMetricName;
  readonly value: number;
  /** Which one, where there are several shops. */
  readonly shop?: string;
  readonly route?: string;
  readonly status?: number;
}

/** What a relay is like at this moment: `name` says what `value` is. */
export interface RelayGauge extends Omit<RelayMetric, 'name' | 'status'> {
  readonly name: RelayGaugeName;
}

/** What can be read of a relay at any time. */
export type RelayGaugeName =
  /** 1 while the circuit of a path of the network is open. */
  | 'circuit_open'
  /** 1 while the network, as real calls found it, is not usable; 0 while nothing says so. */
  | 'network_down'
  /** Events that the store remembers; missing for a store that cannot say. */
  | 'remembered_events'
  /** Accepted events that the store failed to write so far. */
  | 'owed_events';

/** The levels of the log, the most important first. */
export const LOG_LEVELS = ['error', 'warn', 'info'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What the merchant learns about the relay's work. Never throws. */
export interface Telemetry {
  /** Whether the log has requests that succeeded. */
  readonly isVerbose: boolean;
  log(entry: LogEntry): void;
  measure(metric: RelayMetric): void;
}

export interface TelemetryOptions {
  /** Empty while it is not known. */
  readonly apiKey: string;
  readonly shop?: string | undefined;
  readonly onLog: ((entry: LogEntry) => void) | undefined;
  readonly onMetric: ((metric: RelayMetric) => void) | undefined;
  readonly logLevel?: LogLevel | undefined;
}

/** The log by default: warnings and errors on the console, which on servers is stderr. */
function writeLog({ level, message, shop, status, code, error, request_id }: LogEntry): void {
  const request = request_id && `(request ${request_id})`;
  const parts = [
    'offerlet relay:',
    shop && `(shop ${shop})`,
    message,
    status,
    code,
    error && `- ${error}`,
    request,
    status && `See ${ERRORS_URL}#relay`,
  ];
  // oxlint-disable-next-line no-console -- without onLog, operators must still learn why requests fail
  console[level](parts.filter((part) => part !== undefined).join(' '));
}

/** Telemetry that calls `onLog`, without keys and personal data, and `onMetric`. */
export function createTelemetry({ apiKey, shop, onLog, onMetric, logLevel }: TelemetryOptions): Telemetry {
  // The console is for what somebody has to look at.
  const most = LOG_LEVELS.indexOf(logLevel ?? (onLog ? 'info' : 'warn'));
  const { redact } = createSecrets(apiKey);
  const of = shop === undefined ? {} : { shop };
  return {
    isVerbose: most === LOG_LEVELS.indexOf('info'),
    log(entry) {
      if (LOG_LEVELS.indexOf(entry.level) > most) return;
      const { error, request_id, code } = entry;
      // The rest are words and numbers of the relay's own.
      const clean: LogEntry = {
        ...entry,
        ...of,
        ...(request_id !== undefined && { request_id: redact(request_id) }),
        ...(code !== undefined && { code: redact(code) }),
        ...(error !== undefined && { error: redact(error) }),
      };
      try {
        (onLog ?? writeLog)(clean);
      } catch {
        // A log that fails must not fail a request.
      }
    },
    measure(metric) {
      try {
        onMetric?.(shop === undefined ? metric : { ...metric, shop });
      } catch {
        // A metric that fails must not fail a request.
      }
    },
  };
}

/** The message of an unknown thrown value, with those of its causes. Never throws. */
export function explain(error: unknown, depth = 0): string {
  try {
    if (!(error instanceof Error)) return String(error);
    const cause = error.cause === undefined || depth === CAUSES_MAX ? '' : ` (${explain(error.cause, depth + 1)})`;
    return `${error.message || error.name}${cause}`;
  } catch {
    return 'an error that cannot be written as text';
  }
}

/** Causes of causes that are explained; an error may be its own. */
const CAUSES_MAX = 4;
