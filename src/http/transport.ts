import type { IncomingMessage } from 'node:http';
import { isObject, joinBytes } from '../wire/json.ts';
import { fetchText, LateResponseError, responseTooLarge, UnreadableResponseError } from './fetchText.ts';
import { nodeModule } from './nodeModule.ts';

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
  /** Of the trace that the request is part of (W3C Trace Context). */
  readonly traceparent?: string | undefined;
  /** Milliseconds for the whole response, its body included; then a `LateResponseError`. */
  readonly timeoutMs: number;
}

export interface TransportResponse {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
}

/** Sends a request to the network and returns its whole response. Follows no redirect: the status of one is 3xx. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** Returns the transport for this runtime: on a custom `fetch`, on node:http, or on the runtime's `fetch`. */
export function openTransport(fetch: typeof globalThis.fetch | undefined, options: TransportOptions): Transport {
  return fetch || !hasNodeHttp() ? fetchTransport(fetch, options) : nodeTransport(options);
}

/**
 * Bun and Deno have it too, and a native `fetch` that is as fast. A Worker may have `getBuiltinModule` alone, or a node:http
 * on top of its `fetch` that waits for the timeout when nobody is there.
 */
function hasNodeHttp(): boolean {
  if (['Bun', 'Deno', 'WebSocketPair'].some((name) => name in globalThis)) return false;
  try {
    const http: unknown = globalThis.process?.getBuiltinModule?.('node:http');
    return isObject(http) && typeof http['Agent'] === 'function' && typeof http['request'] === 'function';
  } catch {
    return false;
  }
}

/** A transport on `fetch`, which every runtime has. */
function fetchTransport(
  fetch: typeof globalThis.fetch | undefined,
  { url, headers, maxBytes }: TransportOptions,
): Transport {
  return async ({ body, requestId, traceparent, timeoutMs }) => {
    const own = { ...headers, 'x-request-id': requestId, ...(traceparent !== undefined && { traceparent }) };
    const limits = { ms: timeoutMs, maxBytes, fetch };
    const { response, text } = await fetchText(url, { method: 'POST', headers: own, body }, limits);
    return { status: response.status || 302, text, retryAfter: response.headers.get('retry-after') };
  };
}

/** Milliseconds that an idle connection is kept by default: less than servers and balancers allow. */
const IDLE_MS = 4_000;
/** Calls of shoppers whose address is unknown cannot be told apart: only hundreds of slow ones delay the others. */
const SOCKETS_MAX = 1_024;

/** A transport on node:http, several times faster than Node's `fetch` for small bodies (`npm run bench -- relay`). */
function nodeTransport({ url, headers, maxBytes }: TransportOptions): Transport {
  const target = new URL(url);
  const http = target.protocol === 'https:' ? nodeModule('node:https') : nodeModule('node:http');
  const agent = new http.Agent({
    keepAlive: true,
    noDelay: true,
    timeout: IDLE_MS,
    maxSockets: SOCKETS_MAX,
    ...proxyOptions(),
  });
  // All requests of this agent are for one server and differ in nothing that a connection depends on.
  agent.getName = () => target.host;
  const call = {
    agent,
    hostname: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    path: target.pathname,
    method: 'POST',
    headers: [] as string[],
  };
  // A flat list is written directly; an object would be copied header by header.
  const fixed = ['host', target.host, ...Object.entries(headers).flat(), 'x-request-id'];
  return ({ body, requestId, traceparent, timeoutMs }) =>
    new Promise<TransportResponse>((resolve, reject) => {
      call.headers = [...fixed, requestId, 'content-length', String(Buffer.byteLength(body))];
      if (traceparent !== undefined) call.headers.push('traceparent', traceparent);
      // Node copies the options at once.
      const request = http.request(call);
      const timer = setTimeout(() => {
        // All connections may be busy, or this one may not be established.
        reject(new LateResponseError(timeoutMs, { isUnsent: request.socket?.connecting ?? true }));
        request.destroy();
      }, timeoutMs);
      let hasResponse = false;
      request.on('response', (message) => {
        hasResponse = true;
        collect(message, { maxBytes, resolve, reject });
      });
      request.on('error', reject);
      request.on('close', () => {
        clearTimeout(timer);
        // After a 101, Node closes the connection without an error and without a response.
        if (!hasResponse) reject(new Error("The network's response broke off."));
      });
      request.end(body);
    });
}

/**
 * Node's own switch for HTTP_PROXY, HTTPS_PROXY and NO_PROXY, which is for its own agents only. Since 22.21 and 24.5, an
 * agent takes `proxyEnv`; before, Node has no such variables.
 */
function proxyOptions(): object {
  const { env } = globalThis.process;
  return env['NODE_USE_ENV_PROXY'] === '1' ? { proxyEnv: env } : {};
}

function collect(
  message: IncomingMessage,
  settle: { maxBytes: number; resolve: (response: TransportResponse) => void; reject: (error: Error) => void },
): void {
  const { maxBytes, resolve, reject } = settle;
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Some servers name the encoding `identity`, which means that there is none.
  if (!/^(identity)?$/i.test(message.headers['content-encoding'] ?? '')) {
    message.destroy(
      new UnreadableResponseError('The network compressed its response although the relay accepts no encoding.'),
    );
  }
  message.on('data', (chunk: Uint8Array) => {
    length += chunk.byteLength;
    if (length > maxBytes) message.destroy(responseTooLarge(maxBytes));
    else chunks.push(chunk);
  });
  message.on('error', reject);
  message.on('close', () => {
    if (!message.readableEnded) reject(new Error("The network's response broke off."));
  });
  message.on('end', () => {
    const text = decoder.decode(chunks.length === 1 ? chunks[0] : joinBytes(chunks, length));
    resolve({ status: message.statusCode ?? 0, text, retryAfter: message.headers['retry-after'] ?? null });
  });
}

const decoder = new TextDecoder();
