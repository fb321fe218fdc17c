/** The options of both clients. */
export interface ClientOptions {
  /** The URL of the API, such as `https://channel.example`. */
  readonly baseUrl: string;
  /** The key, sent as `x-api-key`. */
  readonly apiKey: string;
  /** Milliseconds an attempt may take, body included; 30,000 by default. An attempt that timed out is not repeated. */
  readonly timeout?: number | undefined;
  /** How often a failed call is repeated when that is safe; 2 by default. */
  readonly maxRetries?: number | undefined;
  /** Called before each attempt, for logs. */
  readonly onRequest?: ((request: RequestNotice) => void) | undefined;
  /** Called after each attempt, for logs and progress. */
  readonly onResponse?: ((response: ResponseNotice) => void) | undefined;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
}

/** Options of every single call. */
export interface CallOptions {
  /** Cancels the call, its retries and the waits between them. The call rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds an attempt of this call may take; the client's own by default. */
  readonly timeout?: number | undefined;
}

/** What `onRequest` gets: no headers and no body, because they contain the key and personal data. */
export interface RequestNotice {
  readonly method: string;
  readonly url: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** What `onResponse` gets. */
export interface ResponseNotice extends RequestNotice {
  /** The status of the response; 0 when there was none. */
  readonly status: number;
  /** Milliseconds the attempt took. */
  readonly duration: number;
  /** The id of the request, for the network's support. */
  readonly requestId: string | undefined;
  /** Milliseconds until the next attempt; undefined when this was the last one. */
  readonly retryIn: number | undefined;
}
