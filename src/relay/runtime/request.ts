import { RelayError } from '../errors.ts';
import { looksSecret } from '../../wire/keys.ts';

/** What is known about a request besides itself. */
export interface RequestInfo {
  /** The IP address that it came from. */
  ip?: string | undefined;
  /** The part of the path by which a framework has matched its mount, such as `/offers`. */
  mountedAt?: string | undefined;
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

/** The id of a request: the one that its sender gave it, if it is plain, or a new one. */
export function readRequestId({ header }: Pick<RelayRequest, 'header'>): string {
  const given = header('x-request-id');
  return given !== null && /^[\w.-]{8,64}$/.test(given) && !looksSecret(given) ? given : crypto.randomUUID();
}

/** The error of a body that is larger than the limit. */
export function bodyTooLarge({ maxBytes }: BodyLimits): RelayError {
  return new RelayError(`The request body is larger than ${maxBytes} bytes.`, { status: 413, code: 'body_too_large' });
}

/** The error of a body that takes longer than the limit. */
export function bodyTooSlow(): RelayError {
  return new RelayError('The request took too long to arrive.', { status: 408, code: 'request_timeout' });
}

/** The error of a body that broke off, or is not UTF-8. */
export function bodyUnreadable(cause?: unknown): RelayError {
  return new RelayError('The request body could not be read.', { status: 400, code: 'unreadable_body', cause });
}

/** The error of a body that somebody has read before the relay and has left nowhere. */
export function bodyAlreadyRead(): RelayError {
  return new RelayError("the request's body was already read; mount the relay before the body parser", {
    status: 400,
    code: 'body_already_read',
  });
}
