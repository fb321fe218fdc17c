import { partnerError } from '../wire/errors.ts';
import type { Problem } from '../wire/json.ts';
import type { RelayError } from './errors.ts';
import { explain } from './telemetry.ts';

/** What the relay returns, before it becomes a response with headers. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly retryAfter?: string | undefined;
  /** Number of events that it is about, for the log. */
  readonly events?: number;
  /** Why it is an error, for the log. */
  readonly problem?: string;
  /** The code of an error of the relay's own, for the log. */
  readonly code?: string;
}

/** A reply with a JSON body. */
export function jsonReply(status: number, body: object): Reply {
  return { status, body: JSON.stringify(body) };
}

/** The sentence that the log has about an error: its message, and the fields it is about, without their values. */
export function problemOf(message: string, fields: readonly Problem[]): string {
  const paths = fields.map(({ path }) => path).filter(Boolean);
  return paths.length > 0 ? `${message} (${paths.join(', ')})` : message;
}

/** A reply that tells a page why the relay refused. */
export function errorReply(error: RelayError): Reply {
  const retryAfter =
    error.retryAfterMs === undefined ? undefined : String(Math.max(1, Math.ceil(error.retryAfterMs / 1_000)));
  const problem = problemOf(error.message, error.problems);
  return {
    ...jsonReply(error.status, partnerError(error.message, error.problems)),
    retryAfter,
    code: error.code,
    problem: error.cause === undefined ? problem : `${problem} ${explain(error.cause)}`,
  };
}
