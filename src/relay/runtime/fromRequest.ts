import type { Incoming } from './exchange.ts';
import { readBody } from './readBody.ts';

/** A Web `Request` as the relay needs it. */
export function fromRequest(request: Request, { keepBody }: { keepBody: boolean }): Incoming {
  const url = new URL(request.url);
  return {
    method: request.method,
    pathname: url.pathname,
    host: url.host,
    header: (name) => request.headers.get(name),
    // Whoever asks for the request afterwards gets the original, with what its framework has put on it.
    read: (limits) => readBody(keepBody ? request.clone() : request, limits),
    toRequest: () => request,
  };
}
