/** What is known about a request besides itself. */
export interface From {
  /** The address that it came from. */
  ip?: string | undefined;
  /** The part of the path that a framework has matched its mount by, such as `/offers`. */
  mountedAt?: string | undefined;
}

/** A request as the relay needs it; a Web `Request` and a node:http message each become one. */
export interface Incoming {
  readonly method: string;
  readonly pathname: string;
  /** The Host it was sent to. */
  readonly host: string;
  header(name: string): string | null;
  /** The body's text; throws a `RelayError` when it is too large, too slow or unreadable. */
  read(limits: { maxBytes: number; timeoutMs: number }): Promise<string>;
  /** The same as a Web `Request`, its body unread. Only after `read`. */
  toRequest(): Request;
}

/** An answer of the relay; its headers are all built by the relay, none is copied. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for no body. */
  readonly body: string;
}

/** The relay without the clothes of a runtime. Never rejects. */
export type Core = (incoming: Incoming, from: From) => Promise<Outgoing>;

const cores = new WeakMap<object, Core>();

/** Lets `toNode` reach the core of a relay, past `Request` and `Response`, which cost Node more than all else here. */
export function rememberCore(relay: object, core: Core): void {
  cores.set(relay, core);
}

/** The core of a relay; `undefined` for a function that somebody wrapped around one. */
export function coreOf(relay: object): Core | undefined {
  return cores.get(relay);
}
