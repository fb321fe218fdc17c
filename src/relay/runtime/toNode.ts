import { coreOf, type From, type Outgoing } from './exchange.ts';
import { fromNode, fromOf, toRequest, urlOf, type NodeRequest } from './fromNode.ts';
import { readNodeBody } from './readNodeBody.ts';

/** What is used of node:http's ServerResponse. */
export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  write(body: string): unknown;
  end(body?: string): unknown;
}

/** A listener for node:http, and a handler for Express. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void;

/** For a function around a relay; the relay's own, smaller limits are applied inside it. */
const WRAPPED_BODY = { maxBytes: 256 * 1024, timeoutMs: 10_000 };

/**
 * Turns a relay into a listener of node:http or a handler of Express, also behind a body parser that has read the body.
 * Takes any function from `Request` to `Response`, such as one of yours around a relay.
 */
export function toNode(relay: (request: Request, from: From) => Promise<Response>): NodeHandler {
  const core = coreOf(relay);

  async function ask(message: NodeRequest): Promise<Outgoing> {
    if (core) return core(fromNode(message), fromOf(message));
    const isBodiless = message.method === 'GET' || message.method === 'HEAD';
    const text = isBodiless ? '' : await readNodeBody(message, WRAPPED_BODY);
    const response = await relay(toRequest(message, { url: urlOf(message), text }), fromOf(message));
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  }

  return (message, response, next) => {
    ask(message).then(
      (outgoing) => write(outgoing, { message, response }),
      (error: unknown) => {
        if (next) next(error);
        else if (!response.headersSent) write(FAILED, { message, response });
      },
    );
  };
}

/** With what was read before, and what a socket reads ahead, this stays below 256 KiB. */
const PASS_OVER_BYTES = 96 * 1024;
const PASS_OVER_MS = 1_000;

const FAILED: Outgoing = {
  status: 500,
  headers: { 'content-type': 'application/json' },
  body: '{"message":"The relay failed."}',
};

function write(
  { status, headers, body }: Outgoing,
  { message, response }: { message: NodeRequest; response: NodeResponse },
): void {
  const all: Record<string, string | number> = { ...headers };
  if (status !== 204 && message.method !== 'HEAD') all['content-length'] = Buffer.byteLength(body);
  const isUnread = message.complete === false;
  // What is left unread of a refused body must not be taken for the next request.
  if (isUnread) all['connection'] = 'close';
  response.writeHead(status, all);
  if (!isUnread) return void response.end(body);
  // Hanging up on a sender can cost it the answer: that one is sent first, and the rest is read for a while.
  response.write(body);
  passOver(message, () => response.end());
}

/** Reads on without keeping anything, until the body ends, or is too much or too slow to wait for. */
function passOver(message: NodeRequest, done: () => void): void {
  let length = 0;
  let isOver = false;
  const timer = setTimeout(stop, PASS_OVER_MS);
  function stop(): void {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    message.pause();
    done();
  }
  message.on('data', (chunk) => {
    length += chunk.byteLength;
    if (length > PASS_OVER_BYTES) stop();
  });
  message.on('end', stop);
  message.on('close', stop);
  message.resume();
}
