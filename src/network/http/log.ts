import { printableJson } from '../../http/printable.ts';

/** One log entry. It holds ids only: no key, no query string, nothing about a shopper. */
export interface NetworkLogEntry {
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

/** Writes a log entry. */
export type NetworkLog = (entry: NetworkLogEntry) => void;

/** Writes each entry to stderr as one line of JSON that neither a terminal nor a CI system takes for a command. */
export function logToStderr(entry: NetworkLogEntry): void {
  process.stderr.write(`${printableJson(entry)}\n`);
}
