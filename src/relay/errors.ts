import type { Problem } from '../wire/json.ts';
import { hideKeys } from '../http/secrets.ts';

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
