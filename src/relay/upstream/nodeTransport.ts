import type { IncomingMessage } from 'node:http';
import { nodeModule } from '../runtime/nodeModule.ts';
import { joinBytes } from '../../wire/readCapped.ts';
import {
  responseTooLarge,
  TransportTimeoutError,
  type Transport,
  type TransportOptions,
  type TransportResponse,
} from './fetchTransport.ts';

/** Milliseconds that an idle connection is kept by default: less than servers and balancers allow. */
const IDLE_MS = 4_000;
const SOCKETS_MAX = 256;

/**
 * A transport on node:http, several times faster than Node's `fetch` for small bodies (`npm run bench -- relay`).
 * `undefined` on other runtimes, whose `fetch` is as fast.
 */
export function nodeTransport({ url, headers, maxBytes }: TransportOptions): Transport | undefined {
  if (!isNode()) return undefined;
  const target = new URL(url);
  const http = target.protocol === 'https:' ? nodeModule('node:https') : nodeModule('node:http');
  const agent = new http.Agent({ keepAlive: true, noDelay: true, timeout: IDLE_MS, maxSockets: SOCKETS_MAX });
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
  return ({ body, requestId, timeoutMs }) =>
    new Promise<TransportResponse>((resolve, reject) => {
      call.headers = [...fixed, requestId, 'content-length', String(Buffer.byteLength(body))];
      // Node copies the options at once.
      const request = http.request(call);
      const timer = setTimeout(() => {
        reject(new TransportTimeoutError());
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

function collect(
  message: IncomingMessage,
  settle: { maxBytes: number; resolve: (response: TransportResponse) => void; reject: (error: Error) => void },
): void {
  const { maxBytes, resolve, reject } = settle;
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Some servers name the encoding `identity`, which is no encoding.
  if (!/^(identity)?$/i.test(message.headers['content-encoding'] ?? '')) {
    message.destroy(new Error('The network compressed its response although the relay accepts no encoding.'));
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

/** Bun and Deno call themselves Node too, and have a native `fetch` that is as fast. */
function isNode(): boolean {
  return (
    globalThis.process?.versions?.node !== undefined &&
    !('Bun' in globalThis) &&
    !('Deno' in globalThis) &&
    typeof globalThis.process.getBuiltinModule === 'function'
  );
}
