import { RelayError } from '../errors.ts';

/** One call to one fixed path of the network. */
export interface NetworkCall {
  readonly body: string;
  readonly requestId: string;
  /** Who made the call: the network of an IP address, or a session; `undefined` when neither is known. */
  readonly sender: string | undefined;
}

export type CallNetwork = (call: NetworkCall) => Promise<NetworkAnswer>;

/** What the network answered. */
export interface NetworkAnswer {
  readonly status: number;
  /** The body as it came. */
  readonly text: string;
  /** The same, parsed; `undefined` when it is no JSON. */
  readonly json: unknown;
  /** Seconds or a date. */
  readonly retryAfter: string | undefined;
  /** The key occurs in the body: it must not be passed on. */
  readonly isReflecting: boolean;
}

/** A call that got no answer. */
export class NoAnswerError extends RelayError {
  override name = 'NoAnswerError';
  /** Whether the network may have received the request all the same. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    options: { status: number; code: string; mayHaveArrived: boolean; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, options);
    this.mayHaveArrived = options.mayHaveArrived;
  }
}
