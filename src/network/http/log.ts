/** One line of the log. It holds ids only: no key, no query, nothing of a shopper. */
export interface LogEntry {
  readonly at: string;
  readonly level: 'info' | 'error';
  readonly message: string;
  readonly request_id?: string;
  readonly method?: string;
  /** The route's pattern, never the path with its values. */
  readonly route?: string;
  readonly status?: number;
  readonly ms?: number;
}

/** Writes one line of the log. */
export type Log = (entry: LogEntry) => void;

/** Writes each entry to stderr as one line of JSON. */
export function logToStderr(entry: LogEntry): void {
  process.stderr.write(`${JSON.stringify(entry)}\n`);
}
