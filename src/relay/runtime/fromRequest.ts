import { withDeadline } from '../../http/withDeadline.ts';
import { readCapped } from '../../wire/readCapped.ts';
import { RelayError } from '../errors.ts';
import {
  bodyAlreadyRead,
  bodyTooLarge,
  bodyTooSlow,
  bodyUnreadable,
  type BodyLimits,
  type RelayRequest,
} from './request.ts';

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
      return readBody(limits.isKept ? request.clone() : request, limits);
    },
    toRequest: () => request,
  };
}

async function readBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
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
