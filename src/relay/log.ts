import { looksSecret } from '../wire/keys.ts';

/** One line of log: ids, routes and times, never personal data, never a key. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly request_id?: string;
  readonly route?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly events?: number;
  readonly error?: string;
}

export type Log = (entry: LogEntry) => void;

const TEXT_MAX = 300;

/** A `Log` that removes keys, e-mails and hashes from every text before `onLog` sees it, and never throws. */
export function createLog(onLog: ((entry: LogEntry) => void) | undefined, apiKey: string): Log {
  if (!onLog) return () => undefined;
  return (entry) => {
    const clean = Object.fromEntries(
      Object.entries(entry)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, typeof value === 'string' ? redact(value, apiKey) : value]),
    );
    try {
      onLog(clean as unknown as LogEntry);
    } catch {
      // A log that fails must not fail a request.
    }
  };
}

/** The text without the key, anything that looks like one, e-mails and hashes; cut to a readable length. */
export function redact(text: string, apiKey: string): string {
  let clean = text.slice(0, TEXT_MAX * 4).replaceAll(apiKey, '[key]');
  if (looksSecret(clean)) clean = clean.replace(/adnet_(sk|rk|rp)_[^\s"',;]*/g, '[key]');
  return clean
    .replace(/[^\s"'<>@,;:]{1,64}@[^\s"'<>@,;:]{1,255}/g, '[email]')
    .replace(/\b[0-9a-f]{64}\b/gi, '[hash]')
    .slice(0, TEXT_MAX);
}

/** What an unknown thrown value says, its cause included. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : ` (${explain(error.cause)})`;
  return `${error.message || error.name}${cause}`;
}
