import { RelayError } from './errors.ts';
import { readStream } from './readStream.ts';

/** The body's text. Refuses one that is larger than `maxBytes` as soon as that is known, and one that takes too long. */
export async function readBody(request: Request, limits: { maxBytes: number; timeoutMs: number }): Promise<string> {
  const { maxBytes, timeoutMs } = limits;
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > maxBytes) throw tooLarge(maxBytes);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new RelayError('The request took too long to arrive.', { status: 408, code: 'request_timeout' });
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    // With an announced length the server's own parser stops at it; reading in one go is several times faster.
    const whole = announced === null ? readStream(request.body, maxBytes) : request.arrayBuffer();
    const bytes = await Promise.race([whole, late]);
    if (!bytes || bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof RelayError) throw error;
    throw new RelayError('The request body could not be read.', { status: 400, code: 'unreadable_body', cause: error });
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(maxBytes: number): RelayError {
  return new RelayError(`The request body is larger than ${maxBytes} bytes.`, { status: 413, code: 'body_too_large' });
}
