import { partnerError } from '../wire/errors.ts';
import type { RelayError } from './errors.ts';

/** What the relay returns, before it becomes a response with headers. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  /** Number of events that it is about, for the log. */
  readonly events?: number;
}

/** A reply with a JSON body. */
export function jsonReply(status: number, body: object): Reply {
  return { status, body: JSON.stringify(body) };
}

/** A reply that tells a page why the relay refused. */
export function errorReply(error: RelayError): Reply {
  const retryAfter =
    error.retryAfterMs === undefined ? undefined : String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000)));
  return { ...jsonReply(error.status, partnerError(error.message, error.problems)), retryAfter };
}
