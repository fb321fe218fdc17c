import { readNodeBody, type NodeBody } from './readBody.ts';
import type { From, RelayRequest } from './request.ts';

/** What is used of node:http's IncomingMessage; Express and its like add the optional parts. */
export interface NodeRequest extends NodeBody {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly originalUrl?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly complete?: boolean | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
  pause(): unknown;
  resume(): unknown;
}

/** A node:http request as the relay needs it. */
export function fromNode(message: NodeRequest): RelayRequest {
  const host = hostOf(message);
  const target = targetOf(message);
  let text = '';
  return {
    method: message.method ?? 'GET',
    // Compared exactly later: nothing is decoded, no dots are followed, no backslash becomes a slash.
    pathname: target.split(/[?#]/, 1)[0] ?? '/',
    host,
    header: (name) => headerOf(message, name),
    async read(limits) {
      text = await readNodeBody(message, limits);
      return text;
    },
    toRequest: () => toRequest(message, { url: `http://${host}${target}`, text }),
  };
}

/** Where a node:http request came from. */
export function fromOf(message: NodeRequest): From {
  const from: From = {};
  if (message.socket.remoteAddress !== undefined) from.ip = message.socket.remoteAddress;
  if (message.baseUrl) from.mountedAt = message.baseUrl;
  return from;
}

/** The request as a Web `Request` that carries `text`. */
export function toRequest(message: NodeRequest, { url, text }: { url: string; text: string }): Request {
  const headers = new Headers();
  for (const name of Object.keys(message.headers)) {
    const value = name.startsWith(':') ? null : headerOf(message, name);
    if (value !== null) headers.set(name, value);
  }
  // A body parser may have rewritten the body, and so changed its length.
  if (headers.has('content-length')) headers.set('content-length', String(new TextEncoder().encode(text).byteLength));
  const method = message.method ?? 'GET';
  return new Request(url, { method, headers, body: method === 'GET' || method === 'HEAD' ? null : text });
}

/** The whole URL of a node:http request, on the Host that it names. */
export function urlOf(message: NodeRequest): string {
  return `http://${hostOf(message)}${targetOf(message)}`;
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
