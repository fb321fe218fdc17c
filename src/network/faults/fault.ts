/** A scripted failure, as POST /sandbox/faults describes it. */
export interface Fault {
  /** The exact path that it affects. */
  readonly route: string;
  readonly status?: number;
  /** Text is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
  /** Indexes of the events of a batch that fail; the others are processed. */
  readonly fail_indexes?: readonly number[];
  /** Whether those events may be sent again; true by default. */
  readonly retryable?: boolean;
  /** Ends the connection without a response. */
  readonly drop_connection?: boolean;
  /** Fails after the request has been processed: the response is lost. */
  readonly after_commit?: boolean;
}
