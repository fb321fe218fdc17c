import { hideKeys } from '../text/printable.ts';
import { partnerError } from '../wire/errors.ts';
import type { Problem } from '../wire/json.ts';
import { explain } from './telemetry.ts';

export interface RelayErrorOptions {
  readonly status: number;
  /** A word for programs, such as `body_too_large`. */
  readonly code: string;
  readonly problems?: readonly Problem[];
  /** Milliseconds after which the same request may be tried again; becomes the Retry-After header. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Why the relay itself refuses a request. The page gets the message. */
export class RelayError extends Error {
  override name = 'RelayError';
  readonly status: number;
  readonly code: string;
  readonly problems: readonly Problem[];
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: RelayErrorOptions) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.code = options.code;
    this.problems = options.problems ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** An option that cannot be used, thrown at the start. Never contains the key. */
export class RelayConfigError extends RelayError {
  override name = 'RelayConfigError';
  /** The option, such as `networkUrl`; `undefined` when it is about something else. */
  readonly option: string | undefined;
  /** The message without the option's name, for programs that call the option something else. */
  readonly problem: string;

  constructor(problem: string, { option, cause }: { option?: string; cause?: unknown } = {}) {
    const clean = hideKeys(problem);
    super(option === undefined ? clean : `${option} ${clean}`, { status: 500, code: 'invalid_option', cause });
    this.option = option;
    this.problem = clean;
  }
}

/** The error itself, or one that says as little as possible. */
export function asRelayError(error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  return new RelayError('The relay failed.', { status: 500, code: 'internal', cause: error });
}

/** What the relay returns, on every runtime. */
export interface Reply {
  readonly status: number;
  /** Empty for no body. */
  readonly body: string;
  /** All built by the relay, none is copied; those that every response has are added at the end. */
  readonly headers?: Readonly<Record<string, string>>;
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

/** The header that says when to come back: seconds or a date. */
export function retryAfter(value: string): Readonly<Record<string, string>> {
  return { 'retry-after': value };
}

/** The sentence that the log has about an error: its message, and the fields it is about, without their values. */
export function problemSentence(message: string, fields: readonly Problem[]): string {
  const paths = fields.map(({ path }) => path).filter(Boolean);
  return paths.length > 0 ? `${message} (${paths.join(', ')})` : message;
}

/** A response that explains to a page why the relay refused. */
export function errorReply(error: RelayError): Reply {
  const { retryAfterMs } = error;
  const problem = problemSentence(error.message, error.problems);
  return {
    ...jsonReply(error.status, partnerError(error.message, error.problems)),
    ...(retryAfterMs !== undefined && {
      headers: retryAfter(String(Math.max(1, Math.ceil(retryAfterMs / 1_000)))),
    }),
    code: error.code,
    problem: error.cause === undefined ? problem : `${problem} ${explain(error.cause)}`,
  };
}
