import { readBody } from './readBody.ts';
import type { RelayRequest } from './request.ts';

/** A Web `Request` as the relay needs it. */
export function fromRequest(request: Request): RelayRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    pathname: url.pathname,
    host: url.host,
    header: (name) => request.headers.get(name),
    // `context` gets the original afterwards, with what its framework has put on it.
    read: (limits) => readBody(limits.isKept ? request.clone() : request, limits),
    toRequest: () => request,
  };
}
