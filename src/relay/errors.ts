import type { Problem } from '../wire/json.ts';

export interface RelayErrorOptions {
  readonly status: number;
  /** A word for programs, such as `body_too_large`. */
  readonly code: string;
  readonly problems?: readonly Problem[];
  /** Milliseconds after which the same request may be tried again; becomes the Retry-After header. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Why the relay itself refuses a request; its message is what the page is told. */
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

/** An option that cannot be used: thrown at start, with what to write instead. Never holds the key. */
export class RelayConfigError extends RelayError {
  override name = 'RelayConfigError';

  constructor(message: string, cause?: unknown) {
    super(message, { status: 500, code: 'invalid_option', cause });
  }
}
