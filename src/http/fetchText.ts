import { readCappedText } from '../wire/json.ts';

/** The limits of a request whose whole response is read. */
export interface FetchLimits {
  /** Milliseconds for the whole response, its body included. */
  readonly ms: number;
  /** Bytes of a response that are read; a larger one is an error. */
  readonly maxBytes: number;
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A whole response did not arrive in time. */
export class LateResponseError extends Error {
  override name = 'LateResponseError';
  /** Whether the request waited for a connection all the time, so that nothing of it was sent. */
  readonly isUnsent: boolean;

  constructor(ms: number, { isUnsent = false, cause }: { isUnsent?: boolean; cause?: unknown } = {}) {
    super(`There was no whole response within ${ms} ms.`, { cause });
    this.isUnsent = isUnsent;
  }
}

/** A response arrived that is not read: it is too large, or compressed. */
export class UnreadableResponseError extends Error {
  override name = 'UnreadableResponseError';
}

/** The error of a response of which `maxBytes` were read. */
export function responseTooLarge(maxBytes: number): Error {
  return new UnreadableResponseError(`The response is larger than ${maxBytes} bytes.`);
}

/**
 * Sends a request, and reads the text of its response within the limits, even with a `fetch` that ignores its signal. Follows
 * no redirect: the text of one is empty.
 */
export async function fetchText(
  url: string,
  init: RequestInit,
  { ms, maxBytes, fetch = globalThis.fetch, signal }: FetchLimits,
): Promise<{ readonly response: Response; readonly text: string }> {
  const abort = new AbortController();
  const cancel = (): void => abort.abort(signal?.reason);
  const aborted = new Promise<never>((_, reject) =>
    abort.signal.addEventListener('abort', () => reject(abort.signal.reason as Error)),
  );
  const read = async (): ReturnType<typeof fetchText> => {
    // Not 'error', which Workers do not have.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: abort.signal });
    // Some runtimes hide a redirect's status and report 0.
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      void response.body?.cancel().catch(() => undefined);
      return { response, text: '' };
    }
    return { response, text: await readText(response, maxBytes) };
  };
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(cancel, ms);
  try {
    return await Promise.race([read(), aborted]);
  } catch (error) {
    throw abort.signal.aborted && !signal?.aborted ? new LateResponseError(ms, { cause: error }) : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', cancel);
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const announced = response.headers.get('content-length');
  // The announced length of an encoded body says nothing about what comes out of it.
  const isSmall = announced !== null && Number(announced) <= maxBytes && !response.headers.has('content-encoding');
  const text = isSmall ? await response.text() : await readCappedText(response, maxBytes);
  if (text === undefined) throw responseTooLarge(maxBytes);
  return text;
}
