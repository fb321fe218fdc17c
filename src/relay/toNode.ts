import type { From } from './createRelay.ts';
import { readNodeBody, type NodeBody } from './readNodeBody.ts';

/** What is used of node:http's IncomingMessage; Express and its like add the optional parts. */
export interface NodeRequest extends NodeBody {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly originalUrl?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** What is used of node:http's ServerResponse. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: string): unknown;
  readonly headersSent: boolean;
}

/** A listener for node:http, and a handler for Express. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void;

/** Turns a relay into a listener of node:http or a handler of Express, also behind a body parser that has read the body. */
export function toNode(relay: (request: Request, from: From) => Promise<Response>): NodeHandler {
  async function answer(incoming: NodeRequest, outgoing: NodeResponse): Promise<void> {
    const body = await readNodeBody(incoming);
    if (body.state === 'gone') return;
    if (body.state === 'late')
      return write(
        outgoing,
        new Response('{"message":"The request took too long to arrive."}', { status: 408, headers: JSON_HEADERS }),
        true,
      );
    const isBodiless = incoming.method === 'GET' || incoming.method === 'HEAD';
    const request = new Request(urlOf(incoming), {
      method: incoming.method ?? 'GET',
      headers: headersOf(incoming, body.length),
      body: isBodiless || body.state !== 'read' ? null : body.content,
    });
    const from: From = {};
    if (incoming.socket.remoteAddress !== undefined) from.ip = incoming.socket.remoteAddress;
    if (incoming.baseUrl) from.mountedAt = incoming.baseUrl;
    return write(outgoing, await relay(request, from), body.state === 'huge');
  }

  return (incoming, outgoing, next) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      if (next) next(error);
      else if (!outgoing.headersSent) {
        outgoing.writeHead(400, { ...JSON_HEADERS, connection: 'close' });
        outgoing.end('{"message":"The request could not be read."}');
      }
    });
  };
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

async function write(outgoing: NodeResponse, response: Response, isLast: boolean): Promise<void> {
  const headers = Object.fromEntries(response.headers);
  const text = response.body === null ? '' : await response.text();
  // What is left unread of a refused body must not be taken for the next request.
  outgoing.writeHead(response.status, isLast ? { ...headers, connection: 'close' } : headers);
  outgoing.end(text);
}

function urlOf({ originalUrl, url = '/', headers }: NodeRequest): string {
  const target = originalUrl ?? url;
  const host =
    typeof headers['host'] === 'string' && /^[\w.\-:[\]]+$/.test(headers['host']) ? headers['host'] : 'localhost';
  if (target.startsWith('/')) return `http://${host}${target}`;
  // An absolute-form target counts by its path alone.
  const parsed = URL.canParse(target) ? new URL(target) : undefined;
  return `http://${host}${parsed ? parsed.pathname + parsed.search : '/'}`;
}

function headersOf({ headers }: NodeRequest, length: number): Headers {
  const copy = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(':')) continue;
    copy.set(name, Array.isArray(value) ? value.join(', ') : String(value));
  }
  // A body parser may have decoded and re-encoded the body: its length is the one that we count.
  if (copy.has('content-type')) copy.set('content-length', String(length));
  return copy;
}
