import type { IncomingMessage } from 'node:http';
import { nodeModule } from '../runtime/nodeModule.ts';
import { joinBytes } from '../runtime/readStream.ts';
import { LateError, type Delivered, type Transport } from './fetchTransport.ts';

/** Milliseconds an idle connection is kept when the network does not say: below what servers and balancers cut at. */
const IDLE_MS = 4_000;
const SOCKETS_MAX = 256;

/**
 * A transport on node:http, several times faster than Node's `fetch` for small bodies (`npm run bench -- relay`).
 * `undefined` on other runtimes, whose `fetch` is their fast way.
 */
export function nodeTransport(url: string): Transport | undefined {
  if (!isNode()) return undefined;
  const target = new URL(url);
  const http = target.protocol === 'https:' ? nodeModule('node:https') : nodeModule('node:http');
  const agent = new http.Agent({ keepAlive: true, timeout: IDLE_MS, maxSockets: SOCKETS_MAX });
  const where = {
    agent,
    hostname: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    path: target.pathname,
    method: 'POST',
  };
  return ({ headers, body, timeoutMs, maxBytes }) =>
    new Promise<Delivered>((resolve, reject) => {
      // A flat list is written as it is; an object would be stored header by header and read again.
      const list = ['host', target.host, 'content-length', String(Buffer.byteLength(body))];
      for (const name in headers) list.push(name, headers[name] ?? '');
      const request = http.request({ ...where, headers: list });
      const timer = setTimeout(() => {
        reject(new LateError('The network did not answer in time.'));
        request.destroy();
      }, timeoutMs);
      request.on('response', (answer) => collect(answer, { maxBytes, resolve, reject }));
      request.on('error', reject);
      request.on('close', () => clearTimeout(timer));
      request.end(body);
    });
}

function collect(
  answer: IncomingMessage,
  settle: { maxBytes: number; resolve: (delivered: Delivered) => void; reject: (error: Error) => void },
): void {
  const { maxBytes, resolve, reject } = settle;
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (answer.headers['content-encoding'] !== undefined) {
    answer.destroy(new Error('The network compressed an answer that was to come as it is.'));
  }
  answer.on('data', (chunk: Uint8Array) => {
    length += chunk.byteLength;
    if (length > maxBytes) answer.destroy(new Error(`The network's answer is larger than ${maxBytes} bytes.`));
    else chunks.push(chunk);
  });
  answer.on('error', reject);
  answer.on('close', () => {
    if (!answer.readableEnded) reject(new Error("The network's answer broke off."));
  });
  answer.on('end', () => {
    const text = decoder.decode(chunks.length === 1 ? chunks[0] : joinBytes(chunks, length));
    resolve({ status: answer.statusCode ?? 0, text, retryAfter: answer.headers['retry-after'] ?? null });
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
