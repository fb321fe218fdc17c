/** A scripted failure, as POST /sandbox/faults describes it. */
export interface Fault {
  /** The exact path that it strikes. */
  readonly route: string;
  readonly status?: number;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delay_ms?: number;
  /** Events of a batch that fail; the others go through. */
  readonly fail_indexes?: readonly number[];
  /** Whether those events may be sent again; yes unless it says no. */
  readonly retryable?: boolean;
  /** The connection ends without an answer. */
  readonly drop_connection?: boolean;
  /** The failure follows after the request has done its work: a lost answer. */
  readonly after_commit?: boolean;
}
