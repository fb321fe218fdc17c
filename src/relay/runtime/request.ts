/** What is known about a request besides itself. */
export interface From {
  /** The IP address that it came from. */
  ip?: string | undefined;
  /** The part of the path by which a framework has matched its mount, such as `/offers`. */
  mountedAt?: string | undefined;
}

/** A request as the relay needs it; a Web `Request` and a node:http message each become one. */
export interface RelayRequest {
  readonly method: string;
  readonly pathname: string;
  /** The Host it was sent to. */
  readonly host: string;
  header(name: string): string | null;
  /**
   * The body's text. Throws a `RelayError` when it is too large, too slow or unreadable. `isKept`: `toRequest` will be
   * called. Otherwise the text is free to go while the network is awaited.
   */
  read(limits: BodyLimits & { readonly isKept: boolean }): Promise<string>;
  /** The same as a Web `Request`, its body unread. Only after `read` with `isKept`. */
  toRequest(): Request;
}

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** A response of the relay. Its headers are all built by the relay, none is copied. */
export interface RelayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for no body. */
  readonly body: string;
}

/** The relay on any runtime. Never rejects. */
export type Handler = (request: RelayRequest, from: From) => Promise<RelayResponse>;

const handlers = new WeakMap<object, Handler>();

/** Lets `toNode` call a relay's handler, past `Request` and `Response`, which cost Node more than all the rest. */
export function rememberHandler(relay: object, handler: Handler): void {
  handlers.set(relay, handler);
}

/** The handler of a relay; `undefined` for a function that somebody wrapped around one. */
export function handlerOf(relay: object): Handler | undefined {
  return handlers.get(relay);
}
