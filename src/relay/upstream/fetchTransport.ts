import { readCappedText } from '../../wire/readCapped.ts';

/** What all requests of a transport have in common. */
export interface TransportOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of a response that are read; a larger one is an error. */
  readonly maxBytes: number;
}

/** One POST to the network. */
export interface TransportRequest {
  readonly body: string;
  readonly requestId: string;
  /** Milliseconds for the whole response, its body included; then a `TransportTimeoutError`. */
  readonly timeoutMs: number;
}

export interface TransportResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

/** Sends a request to the network and returns its whole response. Follows no redirect: the status of one is 3xx. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The response did not arrive in time. */
export class TransportTimeoutError extends Error {
  override name = 'TransportTimeoutError';

  constructor(cause?: unknown) {
    super('The network did not respond in time.', { cause });
  }
}

/** A transport on `fetch`, which every runtime has. */
export function fetchTransport(fetch: typeof globalThis.fetch, options: TransportOptions): Transport {
  const { url, headers, maxBytes } = options;
  return async ({ body, requestId, timeoutMs }) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'x-request-id': requestId },
        body,
        redirect: 'manual',
        signal: abort.signal,
      });
      // Some runtimes hide a redirect's status and report 0.
      if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
        void response.body?.cancel().catch(() => undefined);
        return { status: response.status || 302, text: '', retryAfter: null };
      }
      const text = await readResponseText(response, maxBytes);
      return { status: response.status, text, retryAfter: response.headers.get('retry-after') };
    } catch (error) {
      throw abort.signal.aborted ? new TransportTimeoutError(error) : error;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The text of the network's response, of which no more than `maxBytes` are read. */
export async function readResponseText(response: Response, maxBytes: number): Promise<string> {
  const announced = response.headers.get('content-length');
  // The announced length of an encoded body says nothing about what comes out of it.
  const isSmall = announced !== null && Number(announced) <= maxBytes && !response.headers.has('content-encoding');
  if (isSmall) return response.text();
  const text = await readCappedText(response, maxBytes);
  if (text === undefined) throw responseTooLarge(maxBytes);
  return text;
}

/** The error of a transport that has read `maxBytes` of a response. */
export function responseTooLarge(maxBytes: number): Error {
  return new Error(`The network's response is larger than ${maxBytes} bytes.`);
}
