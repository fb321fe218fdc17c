import { handlerOf, type NodeRequest, type Prefetch } from './handler.ts';
import {
  bodyAlreadyRead,
  type BodyLimits,
  bodyTooLarge,
  bodyTooSlow,
  bodyUnreadable,
  type RelayRequest,
  type RelayResponse,
  type RequestInfo,
} from './request.ts';
import { joinBytes } from '../../wire/readCapped.ts';

/** What is used of node:http's ServerResponse. */
export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  write(body: string): unknown;
  end(body?: string): unknown;
}

/** A listener for node:http, and a handler for Express. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void;

type Respond = (request: Request, info: RequestInfo) => Promise<Response>;

/** For a function around a relay; the relay's own, smaller limits are applied inside it. */
const WRAPPED_BODY = { maxBytes: 256 * 1024, timeoutMs: 10_000 };

/**
 * Turns a relay into a listener of node:http or a handler of Express, also behind a body parser that has read the body.
 * Takes any function from `Request` to `Response`, such as one of yours around a relay. A relay keeps its `prefetch`.
 */
export function toNode<Given extends Respond>(
  relay: Given,
): Given extends { readonly prefetch: Prefetch } ? NodeHandler & { readonly prefetch: Prefetch } : NodeHandler;
export function toNode(relay: Respond): NodeHandler & { readonly prefetch: Prefetch | undefined } {
  const handler = handlerOf(relay);

  async function respond(message: NodeRequest): Promise<RelayResponse> {
    if (handler) return handler.respond(fromNode(message), infoOf(message));
    const isBodiless = message.method === 'GET' || message.method === 'HEAD';
    const body = isBodiless ? undefined : await readBody(message, WRAPPED_BODY);
    const response = await relay(toRequest(message, body), infoOf(message));
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  }

  const listen: NodeHandler = (message, response, next) => {
    respond(message).then(
      (relayed) => writeResponse(relayed, { message, response }),
      (error: unknown) => {
        if (next) next(error);
        else if (!response.headersSent) writeResponse(FAILED, { message, response });
      },
    );
  };
  return Object.assign(listen, { prefetch: handler?.prefetch });
}

/** With what was read before, and what a socket reads ahead, this stays below 256 KiB. */
const DISCARD_BYTES = 96 * 1024;
const DISCARD_MS = 1_000;

const FAILED: RelayResponse = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"The relay failed."}',
};

function writeResponse(
  { status, headers, body }: RelayResponse,
  { message, response }: { message: NodeRequest; response: NodeResponse },
): void {
  const all: Record<string, string | number> = { ...headers };
  if (status !== 204 && message.method !== 'HEAD') all['content-length'] = Buffer.byteLength(body);
  const isUnread = message.complete === false;
  // The unread rest of a refused body must not be parsed as the next request.
  if (isUnread) all['connection'] = 'close';
  response.writeHead(status, all);
  if (!isUnread) return void response.end(body);
  // A sender that is hung up on may miss the response, so that is sent first and the rest is read for a while.
  response.write(body);
  discardBody(message, () => response.end());
}

/** Reads and drops the rest of a body, until it ends or is too large or too slow to wait for. */
function discardBody(message: NodeRequest, done: () => void): void {
  let length = 0;
  let isOver = false;
  const timer = setTimeout(stop, DISCARD_MS);
  function stop(): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    message.pause();
    done();
  }
  message.on('data', (chunk) => {
    length += chunk.byteLength;
    if (length > DISCARD_BYTES) stop();
  });
  message.on('end', stop);
  message.on('close', stop);
  message.resume();
}

/** A node:http request as the relay needs it. */
export function fromNode(message: NodeRequest): RelayRequest {
  const target = targetOf(message);
  const end = target.search(/[?#]/);
  let kept: Uint8Array | undefined;
  return {
    method: message.method ?? 'GET',
    // Compared exactly later: nothing is decoded, no dots are followed, no backslash becomes a slash.
    pathname: end < 0 ? target : target.slice(0, end),
    search: end < 0 ? '' : target.slice(end),
    get host() {
      return hostOf(message);
    },
    header: (name) => headerOf(message, name),
    async read(limits) {
      const bytes = await readBody(message, limits);
      if (limits.isKept) kept = bytes;
      return bytes;
    },
    toRequest: () => toRequest(message, kept),
  };
}

/** Where a node:http request came from. */
export function infoOf(message: NodeRequest): RequestInfo {
  const info: RequestInfo = {};
  if (message.socket.remoteAddress !== undefined) info.ip = message.socket.remoteAddress;
  if (message.baseUrl) info.mountedAt = message.baseUrl;
  return info;
}

/** The bytes of a body: from the stream, or as a body parser has left it. */
async function readBody(message: NodeRequest, limits: BodyLimits): Promise<Uint8Array> {
  const { maxBytes, timeoutMs } = limits;
  if (message.readableEnded || message.readableDidRead) {
    const bytes = bytesOf(message);
    if (bytes.byteLength > maxBytes) throw bodyTooLarge(limits);
    return bytes;
  }
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(limits);
  const chunks: Uint8Array[] = [];
  let length = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const whole = new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => reject(bodyTooSlow()), timeoutMs);
    message.on('data', (chunk) => {
      length += chunk.byteLength;
      if (length <= maxBytes) chunks.push(chunk);
      // The rest is read and dropped with the response.
      else reject(bodyTooLarge(limits));
    });
    message.on('end', resolve);
    message.on('error', () => reject(bodyUnreadable()));
    message.on('close', () => {
      if (!message.readableEnded) reject(bodyUnreadable());
    });
  });
  try {
    await whole;
  } finally {
    clearTimeout(timer);
  }
  const [first] = chunks;
  return first && chunks.length === 1 ? first : joinBytes(chunks, length);
}

/** The bytes of what a body parser has left. */
function bytesOf({ rawBody, body, headers }: NodeRequest): Uint8Array {
  const parsed = rawBody ?? body;
  if (parsed instanceof Uint8Array) return parsed;
  if (typeof parsed === 'string') return new TextEncoder().encode(parsed);
  // The fields of a form, for example, are not what was sent.
  const isJson = /^\[object (Object|Array|Number|Boolean|Null)\]$/.test(Object.prototype.toString.call(parsed));
  const hadBody = headers['content-length'] !== '0';
  if (!isJson && hadBody) throw bodyAlreadyRead();
  return new TextEncoder().encode(isJson ? JSON.stringify(parsed) : '');
}

/** The request as a Web `Request` with this body, on the Host that it names. */
function toRequest(message: NodeRequest, body: Uint8Array | undefined): Request {
  const headers = new Headers();
  for (const name of Object.keys(message.headers)) {
    const value = name.startsWith(':') ? null : headerOf(message, name);
    if (value !== null) headers.set(name, value);
  }
  // A body parser may have rewritten the body, and so changed its length.
  if (headers.has('content-length')) headers.set('content-length', String(body?.byteLength ?? 0));
  const method = message.method ?? 'GET';
  const carried = method === 'GET' || method === 'HEAD' || !body ? null : new Uint8Array(body);
  return new Request(`http://${hostOf(message)}${targetOf(message)}`, { method, headers, body: carried });
}

function headerOf({ headers }: NodeRequest, name: string): string | null {
  const value = headers[name];
  return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
}

function hostOf({ headers }: NodeRequest): string {
  const host = headers['host'] ?? headers[':authority'];
  return typeof host === 'string' && /^[\w.\-:[\]]+$/.test(host) ? host.toLowerCase() : 'localhost';
}

/** Path and query. Express removes its mount from `url` and leaves the whole in `originalUrl`. */
function targetOf({ originalUrl, url }: NodeRequest): string {
  const target = originalUrl ?? url ?? '/';
  if (target.startsWith('/')) return target;
  // Of an absolute-form target only the path is used.
  const parsed = URL.canParse(target) ? new URL(target) : undefined;
  return parsed ? parsed.pathname + parsed.search : '/';
}
