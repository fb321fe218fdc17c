import { joinBytes } from '../../wire/readCapped.ts';
import {
  bodyAlreadyRead,
  bodyTooLarge,
  bodyTooSlow,
  bodyUnreadable,
  type BodyLimits,
  type RelayRequest,
  type RequestInfo,
} from './request.ts';

/** What is used of node:http's IncomingMessage; Express and its like add the optional parts. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly originalUrl?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly complete?: boolean | undefined;
  readonly readableEnded?: boolean;
  readonly readableDidRead?: boolean;
  /** What a body parser has left. */
  readonly body?: unknown;
  readonly rawBody?: unknown;
  readonly socket: { readonly remoteAddress?: string | undefined };
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown;
  pause(): unknown;
  resume(): unknown;
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
export async function readBody(message: NodeRequest, limits: BodyLimits): Promise<Uint8Array> {
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
export function toRequest(message: NodeRequest, body: Uint8Array | undefined): Request {
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
