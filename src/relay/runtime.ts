import { looksSecret } from '../wire/keys.ts';
import { joinBytes, readCapped } from '../wire/json.ts';
import { errorReply, RelayError, type Reply } from './errors.ts';
import { refuseHead } from '../http/refuseHead.ts';
import { withDeadline } from '../http/withDeadline.ts';
import type { ShopFunctions } from './options/relayOptions.ts';

// How requests reach a relay on each runtime: as a Web `Request`, or as a message of node:http.

/** What is known about a request besides itself. */
export interface RequestInfo {
  /** The IP address that it came from. */
  ip?: string | undefined;
  /** The part of the path by which a framework has matched its mount, such as `/offers`. */
  mountedAt?: string | undefined;
  /**
   * Keeps the process running until a promise has settled, where the platform ends it with the response, such as the
   * `waitUntil` of a worker. For `onOffers` and `onEvents`.
   */
  waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/** A request as the relay needs it; a Web `Request` and a node:http message each become one. */
export interface RelayRequest {
  readonly method: string;
  readonly pathname: string;
  /** The query with its question mark, or empty. */
  readonly search: string;
  /** The Host it was sent to. */
  readonly host: string;
  header(name: string): string | null;
  /**
   * The bytes of the body. Throws a `RelayError` when it is too large, too slow or unreadable. `isKept`: `toRequest` will
   * be called. Otherwise the bytes are free to go while the network is awaited.
   */
  read(limits: BodyLimits & { readonly isKept: boolean }): Promise<Uint8Array>;
  /** The same as a Web `Request`, its body unread. Only after `read` with `isKept`. */
  toRequest(): Request;
  /** URL and headers as a Web `Request`, without the body. */
  toHead(): Request;
  /** The functions of the shop that it is for, where there are several shops. */
  own?: ShopFunctions;
}

interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** The id of a request: the one that its sender gave it, if it is plain, or a new one. */
export function readRequestId({ header }: Pick<RelayRequest, 'header'>): string {
  const given = header('x-request-id');
  return given !== null && /^[\w.-]{8,64}$/.test(given) && !looksSecret(given) ? given : crypto.randomUUID();
}

/** The trace that a request is part of (W3C Trace Context), if its sender named one. */
export function readTraceparent({ header }: Pick<RelayRequest, 'header'>): string | undefined {
  const given = header('traceparent');
  return given !== null && /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/.test(given) ? given : undefined;
}

/** The error of a body that is larger than the limit. */
function bodyTooLarge({ maxBytes }: BodyLimits): RelayError {
  return new RelayError(`The request body is larger than ${maxBytes} bytes.`, { status: 413, code: 'body_too_large' });
}

/** The error of a body that takes longer than the limit. */
function bodyTooSlow(): RelayError {
  return new RelayError('The request took too long to arrive.', { status: 408, code: 'request_timeout' });
}

/** The error of a body that broke off, or is not UTF-8. */
export function bodyUnreadable(cause?: unknown): RelayError {
  return new RelayError('The request body could not be read.', { status: 400, code: 'unreadable_body', cause });
}

/** The error of a body that somebody has read before the relay and has left nowhere. */
function bodyAlreadyRead(): RelayError {
  return new RelayError("the request's body was already read; mount the relay before the body parser", {
    status: 400,
    code: 'body_already_read',
  });
}

/** What is used of node:http's IncomingMessage; Express and its like add the optional parts. */
export interface NodeRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly rawHeaders?: readonly string[];
  readonly httpVersionMajor?: number;
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

/** A request that was read before, and where it came from. */
export type ReadRequest = readonly [RelayRequest, RequestInfo];

/** A Web `Request` as the relay needs it. */
export function fromRequest(request: Request): RelayRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    pathname: url.pathname,
    search: url.search,
    host: url.host,
    header: (name) => request.headers.get(name),
    // `context` gets the original afterwards, with what its framework has put on it.
    async read(limits) {
      if (request.bodyUsed) throw bodyAlreadyRead();
      return readWebBody(limits.isKept ? request.clone() : request, limits);
    },
    toRequest: () => request,
    toHead: () => new Request(request.url, { method: request.method, headers: request.headers }),
  };
}

async function readWebBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const { maxBytes, timeoutMs } = limits;
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > maxBytes) throw bodyTooLarge(limits);
  try {
    // With an announced length the server's own parser stops at it; reading in one go is several times faster.
    const whole =
      announced === null
        ? readCapped(request.body, maxBytes)
        : request.arrayBuffer().then((buffer) => new Uint8Array(buffer));
    const bytes = await withDeadline<Uint8Array | undefined>(whole, { ms: timeoutMs, late: bodyTooSlow });
    if (!bytes || bytes.byteLength > maxBytes) throw bodyTooLarge(limits);
    return bytes;
  } catch (error) {
    throw error instanceof RelayError ? error : bodyUnreadable(error);
  }
}

/** Responds on any runtime. Never throws or rejects. */
export type RespondDirectly = (request: RelayRequest, info: RequestInfo) => Promise<Reply>;

const direct = new WeakMap<object, RespondDirectly>();

/** Lets `toNode` call a relay past `Request` and `Response`, which cost Node more than all the rest. */
export function rememberDirect(relay: object, respond: RespondDirectly): void {
  direct.set(relay, respond);
}

/** What is used of node:http's ServerResponse. */
export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  write(body: string): unknown;
  end(body?: string): unknown;
  /** Of HTTP/2. */
  readonly stream?: { close(): unknown };
}

/** A listener for node:http, and a handler for Express. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: (error?: unknown) => void) => void;

type Respond = (request: Request, info: RequestInfo) => Promise<Response>;

/** For a function around a relay; the relay's own, smaller limits are applied inside it. */
const WRAPPED_BODY = { maxBytes: 256 * 1024, timeoutMs: 10_000 };

/**
 * Turns a relay into a listener of node:http or a handler of Express, even behind a body parser that has read the body.
 * Takes any function from `Request` to `Response`, such as one of yours around a relay. A relay keeps its `prefetch`.
 */
export function toNode<Given extends Respond>(
  relay: Given,
): Given extends { readonly prefetch: infer Prefetch } ? NodeHandler & { readonly prefetch: Prefetch } : NodeHandler;
export function toNode(relay: Respond): NodeHandler & { readonly prefetch: unknown } {
  // None for a function that somebody wrapped around a relay.
  const respondDirectly = direct.get(relay);

  async function respond(message: NodeRequest): Promise<Reply> {
    const status = refuseHead(message.rawHeaders ?? []);
    if (status !== undefined)
      throw new RelayError('The request has too many headers, or several hosts.', { status, code: 'odd_headers' });
    if (respondDirectly) return respondDirectly(fromNode(message), readRequestInfo(message));
    const isBodiless = message.method === 'GET' || message.method === 'HEAD';
    const body = isBodiless ? undefined : await readNodeBody(message, WRAPPED_BODY);
    const response = await relay(toRequest(message, body), readRequestInfo(message));
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  }

  const listen: NodeHandler = (message, response, next) => {
    respond(message).then(
      (relayed) => writeReply(relayed, { message, response }),
      (error: unknown) => {
        // What is wrong with the body is the sender's doing.
        if (error instanceof RelayError && !response.headersSent)
          writeReply({ headers: JSON_TYPE, ...errorReply(error) }, { message, response });
        else if (next) next(error);
        else if (!response.headersSent) writeReply(FAILED, { message, response });
      },
    );
  };
  const { prefetch } = relay as Respond & { readonly prefetch?: unknown };
  return Object.assign(listen, { prefetch: respondDirectly && prefetch });
}

/** With what was read before, and what a socket reads ahead, this stays below 256 KiB. */
const DISCARD_BYTES = 96 * 1024;
const DISCARD_MS = 1_000;

const JSON_TYPE = { 'content-type': 'application/json' };
const FAILED: Reply = {
  status: 500,
  headers: JSON_TYPE,
  body: '{"message":"The relay failed."}',
};

/** Writes a reply as the response to a message of node:http. */
export function writeReply(
  { status, headers, body }: Reply,
  { message, response }: { message: NodeRequest; response: NodeResponse },
): void {
  const all: Record<string, string | number> = { ...headers };
  if (status !== 204 && message.method !== 'HEAD') all['content-length'] = Buffer.byteLength(body);
  const isUnread = message.complete === false;
  const isStream = message.httpVersionMajor === 2;
  // The unread rest of a refused body must not be parsed as the next request.
  if (isUnread && !isStream) all['connection'] = 'close';
  response.writeHead(status, all);
  if (!isUnread) return void response.end(body);
  // A sender that is hung up on may miss the response, so that is sent first and the rest is read for a while.
  response.write(body);
  discardBody(message, () => {
    response.end();
    if (isStream) response.stream?.close();
  });
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
  const target = readPath(message);
  const end = target.search(/[?#]/);
  let kept: Uint8Array | undefined;
  return {
    method: message.method ?? 'GET',
    // Compared exactly later: nothing is decoded, no dots are followed, no backslash becomes a slash.
    pathname: end < 0 ? target : target.slice(0, end),
    search: end < 0 ? '' : target.slice(end),
    get host() {
      return readHost(message);
    },
    header: (name) => readHeader(message, name),
    async read(limits) {
      const bytes = await readNodeBody(message, limits);
      if (limits.isKept) kept = bytes;
      return bytes;
    },
    toRequest: () => toRequest(message, kept),
    toHead: () => toRequest(message, undefined),
  };
}

/** Where a node:http request came from. */
export function readRequestInfo(message: NodeRequest): RequestInfo {
  const info: RequestInfo = {};
  if (message.socket.remoteAddress !== undefined) info.ip = message.socket.remoteAddress;
  if (message.baseUrl) info.mountedAt = message.baseUrl;
  return info;
}

/** The bytes of a body: from the stream, or as a body parser has left it. */
async function readNodeBody(message: NodeRequest, limits: BodyLimits): Promise<Uint8Array> {
  const { maxBytes, timeoutMs } = limits;
  if (message.readableEnded || message.readableDidRead) {
    const bytes = parsedBytes(message);
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
function parsedBytes({ rawBody, body, headers }: NodeRequest): Uint8Array {
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
    const value = name.startsWith(':') ? null : readHeader(message, name);
    if (value !== null) headers.set(name, value);
  }
  // A body parser may have rewritten the body, and so changed its length.
  if (headers.has('content-length')) headers.set('content-length', String(body?.byteLength ?? 0));
  const method = message.method ?? 'GET';
  const carried = method === 'GET' || method === 'HEAD' || !body ? null : new Uint8Array(body);
  const origin = `http://${readHost(message)}`;
  // A port may be too large, and a number no address.
  const url = `${URL.canParse(origin) ? origin : `http://${NO_HOST}`}${readPath(message)}`;
  return new Request(url, { method, headers, body: carried });
}

function readHeader({ headers }: NodeRequest, name: string): string | null {
  const value = headers[name];
  return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
}

function readHost({ headers }: NodeRequest): string {
  const host = headers[':authority'] ?? headers['host'];
  // Nothing else is a host, and least of all this machine.
  return typeof host === 'string' && /^[\w.\-:[\]]+$/.test(host) ? host.toLowerCase() : NO_HOST;
}

const NO_HOST = 'unknown.invalid';

/** Path and query. Express removes its mount from `url` and leaves the whole in `originalUrl`. */
function readPath({ originalUrl, url }: NodeRequest): string {
  const target = originalUrl ?? url ?? '/';
  if (target.startsWith('/')) return target;
  // Of an absolute-form target only the path is used.
  const parsed = URL.canParse(target) ? new URL(target) : undefined;
  return parsed ? parsed.pathname + parsed.search : '/';
}
