import { readAnswer } from './readAnswer.ts';

/** One POST to the network. */
export interface Dispatch {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds for the whole answer, its body included; then a `LateError`. */
  readonly timeoutMs: number;
  /** Bytes of the answer that are read; a larger one is an error. */
  readonly maxBytes: number;
}

export interface Delivered {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

/** Brings a request to the network and its whole answer back. Follows no redirect: the status of one is 3xx. */
export type Transport = (dispatch: Dispatch) => Promise<Delivered>;

/** The answer was not there in time. */
export class LateError extends Error {
  override name = 'LateError';
}

/** A transport on `fetch`, which every runtime has. */
export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return async ({ url, headers, body, timeoutMs, maxBytes }) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers },
        body,
        redirect: 'manual',
        signal: abort.signal,
      });
      // Some runtimes hide a redirect's status and say 0.
      if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
        void response.body?.cancel().catch(() => undefined);
        return { status: response.status || 302, text: '', retryAfter: null };
      }
      const text = await readAnswer(response, maxBytes);
      return { status: response.status, text, retryAfter: response.headers.get('retry-after') };
    } catch (error) {
      throw abort.signal.aborted ? new LateError('The network did not answer in time.', { cause: error }) : error;
    } finally {
      clearTimeout(timer);
    }
  };
}
