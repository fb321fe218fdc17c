import { fromNode, infoOf, readBody, toRequest, type NodeRequest } from './fromNode.ts';
import { handlerOf, type Prefetch } from './handler.ts';
import type { RelayResponse, RequestInfo } from './request.ts';

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
